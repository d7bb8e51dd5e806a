"""Whether one of two is better more often than a coin would have it."""

from scipy.stats import binomtest


def sign_test(better: int, worse: int) -> tuple[float, str | None]:
    """Return the two-sided p-value of a sign test, or NaN and why there is none.

    The p-value says how often a fair coin, thrown once for each pair that is no tie, would fall
    at least as far from even. Below .05 is usually called a difference. The test takes the pairs
    as independent and does not see how large the differences are.

    Args:
        better: Pairs in which the first has the higher score.
        worse: Pairs in which the second has. Ties are left out.

    >>> sign_test(5, 0)
    (0.0625, None)
    """
    if better + worse == 0:
        return float("nan"), "no pair differs"
    return float(binomtest(better, better + worse).pvalue), None
