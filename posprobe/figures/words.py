"""Numbers as words in titles and captions."""

import math


def percent(share: float) -> str:
    r"""Return a share as a percentage with one decimal.

    >>> percent(0.9412)
    '94.1\xa0%'
    >>> percent(-0.0001)
    '0.0\xa0%'
    >>> percent(float("nan"))
    'undefined'
    """
    return "undefined" if math.isnan(share) else f"{decimal(100 * share, 1)}\xa0%"


def decimal(value: float, digits: int = 2) -> str:
    """Return a number with a true minus and without a negative zero.

    >>> decimal(-0.25), decimal(-0.001), decimal(float("nan"))
    ('−0.25', '0.00', 'undefined')
    """
    if math.isnan(value):
        return "undefined"
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("-", "−")


def brief(value: float) -> str:
    """Return what fits into a cell of a map.

    >>> brief(0.5), brief(float("nan"))
    ('0.50', '–')
    """
    return "–" if math.isnan(value) else decimal(value)


def upper_first(text: str) -> str:
    """Begin a sentence or a title, without touching what else is written large.

    >>> upper_first("part of NP")
    'Part of NP'
    """
    return text[:1].upper() + text[1:]
