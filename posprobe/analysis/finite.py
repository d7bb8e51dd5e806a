"""Stops numbers that no statistic can digest at the door."""

import numpy as np
from jaxtyping import Float

from posprobe.core.errors import NonFiniteError


def require_finite(values: Float[np.ndarray, "..."], name: str) -> None:
    """Raise if any number is inf or NaN.

    Args:
        values: Anything measured.
        name: What it is, for the message: a site, a layer, a term.

    Raises:
        NonFiniteError: Names `name` and the share of numbers that are not finite.

    >>> require_finite(np.array([1.0, np.nan]), "blocks.0.hook_resid_post")
    Traceback (most recent call last):
    ...
    posprobe.core.errors.NonFiniteError: blocks.0.hook_resid_post: 50 % of 2 values are inf or ...
    """
    require_none_bad(values.size - int(np.count_nonzero(np.isfinite(values))), values.size, name)


def require_none_bad(bad: int, total: int, name: str) -> None:
    """Raise if some of the numbers were counted as not finite.

    Args:
        bad: How many are inf or NaN.
        total: Out of how many.
        name: What they are, for the message.

    Raises:
        NonFiniteError: If `bad` is not 0.
    """
    if bad:
        raise NonFiniteError(
            f"{name}: {100 * bad / total:.2g} % of {total} values are inf or NaN; "
            "run the model in float32, or check its weights"
        )
