"""Small pictures made of characters, for terminals."""

import math
from collections.abc import Sequence

_STEPS = "▁▂▃▄▅▆▇█"
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def sparkline(values: Sequence[float]) -> str:
    """Draw numbers as columns, from 0 to 1 if they lie there, else from the least to the greatest.

    >>> sparkline([0.0, 0.5, 1.0, float("nan")])
    '▁▅█ '
    >>> sparkline([10, 20])
    '▁█'
    """
    finite = [value for value in values if math.isfinite(value)]
    shares = all(0 <= value <= 1 for value in finite)
    low, high = (0.0, 1.0) if shares else (min(finite), max(finite))
    span = (high - low) or 1.0
    last = len(_STEPS) - 1
    return "".join(
        _STEPS[round((value - low) / span * last)] if math.isfinite(value) else " "
        for value in values
    )


def bar(share: float, *, width: int = 4) -> str:
    """Draw a share as a bar.

    Args:
        share: 0 to 1; NaN is no bar.
        width: Characters of a whole bar.

    >>> bar(0.5), bar(1.0), bar(0.0)
    ('██  ', '████', '    ')
    """
    eighths = 0 if math.isnan(share) else round(share * width * 8)
    full, rest = divmod(eighths, 8)
    return (_EIGHTHS[8] * full + (_EIGHTHS[rest] if rest else "")).ljust(width)
