"""Error bars: the bootstrap over sequences and the jackknife over groups."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from posprobe.core.errors import UserError

_BLOCK = 1 << 22
"""Resampled values held at once, so that memory does not grow with the data."""


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A mean with its spread and its bootstrap interval.

    Attributes:
        mean: Mean of the values; NaN if there are none.
        sd: Standard deviation (ddof 1); NaN with fewer than two values.
        low: Lower end of the interval of the mean; NaN with fewer than two values.
        high: Upper end.
    """

    mean: float
    sd: float
    low: float
    high: float


def bootstrap_mean(
    values: Float[np.ndarray, " sample"],
    *,
    seed: int | np.random.Generator,
    draws: int = 2000,
    level: float = 0.95,
) -> Interval:
    """Say how far the mean of some sequences can be trusted.

    The interval is where the mean falls when the same number of sequences is drawn again,
    with replacement, from those measured (percentile bootstrap).

    Args:
        values: One finite number per independent sequence.
        seed: Seed or generator of the draws.
        draws: How often to draw again, at least 1.
        level: Share of the draws inside the interval, between 0 and 1.

    Raises:
        UserError: If `draws` or `level` is out of range.

    >>> bootstrap_mean(np.array([0.5, 0.5, 0.5]), seed=0)
    Interval(mean=0.5, sd=0.0, low=0.5, high=0.5)
    """
    if draws < 1 or not 0 < level < 1:
        raise UserError(f"draws={draws}, level={level}: want draws ≥ 1 and 0 < level < 1")
    if len(values) < 2:
        mean = float(values[0]) if len(values) else float("nan")
        return Interval(mean=mean, sd=float("nan"), low=float("nan"), high=float("nan"))
    means = resampled_means(values.astype(np.float64), np.random.default_rng(seed), draws)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Interval(
        mean=float(values.mean(dtype=np.float64)),
        sd=float(values.std(ddof=1, dtype=np.float64)),
        low=float(low),
        high=float(high),
    )


def resampled_means(
    values: Float[np.ndarray, " sample"], generator: np.random.Generator, draws: int
) -> Float[np.ndarray, " _draws"]:
    """Return the means of as many values, drawn again with replacement, so many times.

    Args:
        values: One finite number per independent sequence, at least one.
        generator: Draws them.
        draws: How often.
    """
    step = max(1, _BLOCK // len(values))
    means = []
    for start in range(0, draws, step):
        picked = generator.integers(len(values), size=(min(step, draws - start), len(values)))
        means.append(values[picked].mean(axis=1))
    return np.concatenate(means)


def jackknife_se(
    estimates: Float[np.ndarray, "sample ..."],
) -> Float[np.ndarray, "..."]:
    """Turn estimates that each leave out one group into a standard error.

    Args:
        estimates: The estimate without group g, stacked over g.

    Returns:
        Standard error of the estimate from all groups; NaN with fewer than two groups.

    >>> jackknife_se(np.array([[1.0], [1.0], [1.0]])).tolist()
    [0.0]
    """
    groups = len(estimates)
    if groups < 2:
        return np.full(estimates.shape[1:], np.nan)
    spread = estimates - estimates.mean(axis=0)
    return np.sqrt((groups - 1) / groups * (spread**2).sum(axis=0))
