"""Means over the numbers that are defined."""

import numpy as np
from jaxtyping import Float


def finite_mean(values: Float[np.ndarray, "..."]) -> float:
    """Return the mean of the finite entries; NaN if there are none.

    >>> finite_mean(np.array([1.0, np.nan, 3.0]))
    2.0
    """
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else float("nan")
