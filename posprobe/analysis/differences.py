"""How far two means are apart, and how far that can be trusted."""

import numpy as np
from jaxtyping import Float
from scipy.stats import t as student_t

from posprobe.analysis.resampling import Interval, bootstrap_mean, jackknife_se, resampled_means

NORMAL = 1.959963984540054
"""Standard errors on either side of a 95 % interval."""


def paired_difference(
    a: Float[np.ndarray, " sample"],
    b: Float[np.ndarray, " sample"],
    *,
    seed: int,
    draws: int = 2000,
) -> Interval:
    """Return mean(b − a) with its interval, when both were measured on the same samples.

    What makes a sample easy or hard moves both numbers, and so drops out of the difference.

    Args:
        a: One number per sample; NaN where undefined.
        b: The same samples in the same order.
        seed: Seed of the resampling.
        draws: How often to draw again.

    Returns:
        The mean of the differences; samples that lack either number are left out.

    >>> paired_difference(np.array([0.1, 0.9]), np.array([0.2, 1.0]), seed=0).mean.__round__(6)
    0.1
    """
    both = np.isfinite(a) & np.isfinite(b)
    return bootstrap_mean((b - a)[both], seed=seed, draws=draws)


def separate_difference(
    a: Float[np.ndarray, " sample"],
    b: Float[np.ndarray, " other"],
    *,
    seed: int,
    draws: int = 2000,
) -> Interval:
    """Return mean(b) − mean(a) with its interval, when the samples have no partners.

    Args:
        a: One number per sample; NaN where undefined.
        b: Others, as many as there are.
        seed: Seed of the resampling.
        draws: How often to draw each side again.

    Returns:
        The difference; `sd` is NaN, since no sample has a difference of its own.

    >>> separate_difference(np.zeros(3), np.ones(4), seed=0)
    Interval(mean=1.0, sd=nan, low=1.0, high=1.0)
    """
    a, b = a[np.isfinite(a)].astype(np.float64), b[np.isfinite(b)].astype(np.float64)
    nan = float("nan")
    if not len(a) or not len(b):
        return Interval(mean=nan, sd=nan, low=nan, high=nan)
    mean = float(b.mean() - a.mean())
    if min(len(a), len(b)) < 2:
        return Interval(mean=mean, sd=nan, low=nan, high=nan)
    generator = np.random.default_rng(seed)
    drawn = -resampled_means(a, generator, draws) + resampled_means(b, generator, draws)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Interval(mean=mean, sd=nan, low=float(low), high=float(high))


def error_difference(a: float, b: float, *, se_a: float, se_b: float) -> Interval:
    """Return b − a with its interval from the standard error of each.

    As if the errors had nothing to do with each other. If both numbers are from the same
    documents, they do, and the interval is wider than it need be.

    Args:
        a: A number.
        b: The number it is compared with.
        se_a: Its standard error; NaN where undefined.
        se_b: The other's.

    >>> found = error_difference(0.2, 0.5, se_a=0.03, se_b=0.04)
    >>> round(found.mean, 3), round(found.low, 3), round(found.high, 3)
    (0.3, 0.202, 0.398)
    """
    width = NORMAL * float(np.hypot(se_a, se_b))
    return Interval(mean=b - a, sd=float("nan"), low=b - a - width, high=b - a + width)


def jackknife_difference(
    a: float,
    b: float,
    *,
    without_a: Float[np.ndarray, " group"],
    without_b: Float[np.ndarray, " group"],
) -> Interval:
    """Return b − a with its interval, when both leave out the same groups of samples in turn.

    For numbers that are no means over samples, such as R². What makes a group easy or hard
    moves both numbers, and so drops out of the difference.

    Args:
        a: A number.
        b: The number it is compared with.
        without_a: The first number without each group.
        without_b: The other without the same groups, in the same order.

    >>> without = np.array([0.1, 0.3])
    >>> found = jackknife_difference(0.2, 0.5, without_a=without, without_b=without + 0.3)
    >>> round(found.mean, 3), round(found.low, 3), round(found.high, 3)
    (0.3, 0.3, 0.3)
    """
    groups = len(without_a)
    assert groups == len(without_b), "groups without partners"
    nan = float("nan")
    if groups < 2:
        return Interval(mean=b - a, sd=nan, low=nan, high=nan)
    error = jackknife_se((without_b - without_a)[:, None]).item()
    width = float(student_t.ppf(0.975, groups - 1)) * error
    return Interval(mean=b - a, sd=nan, low=b - a - width, high=b - a + width)
