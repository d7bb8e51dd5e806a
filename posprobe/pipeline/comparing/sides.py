"""Two reports of one measure, beside each other."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from posprobe.analysis.comparison import Difference, Method
from posprobe.analysis.differences import (
    NORMAL,
    error_difference,
    jackknife_difference,
    paired_difference,
    separate_difference,
)
from posprobe.analysis.probes import Score
from posprobe.analysis.resampling import Interval
from posprobe.report.report import Report


@dataclass(frozen=True, kw_only=True)
class Sides:
    """Two reports of one measure, and how intervals are drawn.

    Attributes:
        a: The first report.
        b: The second.
        seed: Seed of the resampling.
        draws: How often to draw again.
    """

    a: Report
    b: Report
    seed: int
    draws: int

    @property
    def paired(self) -> bool:
        """Whether both ran on the same sequences, in the same order."""
        one, other = self.a.provenance.tokens, self.b.provenance.tokens
        if len(one) != 1 or len(other) != 1:
            return False
        if one[0].sha256 == other[0].sha256:
            return True
        # Two vocabularies give the same prompts other ids; documents may be cut elsewhere.
        whole = [
            side.provenance.options.get("corpus") is None
            and side.provenance.options.get("prompts") == side.provenance.tokens[0].documents
            for side in (self.a, self.b)
        ]
        return all(whole) and one[0].name == other[0].name

    def sampled(self, a: np.ndarray, b: np.ndarray, *, units: str, **where: Any) -> Difference:
        """Compare two means over samples, paired where the sequences are the same.

        Args:
            a: One number per sample of the first side.
            b: Likewise of the second.
            units: What the samples are.
            **where: The fields of `Difference` that say which number it is.
        """
        together = self.paired and len(a) == len(b)
        draw = self.drawn_together if together else self.drawn_apart
        return draw(a, b, units=units, **where)

    def drawn_together(
        self, a: np.ndarray, b: np.ndarray, *, units: str, **where: Any
    ) -> Difference:
        """Compare two means over samples that are the same on both sides.

        Args:
            a: One number per sample of the first side.
            b: The same samples in the same order.
            units: What the samples are.
            **where: The fields of `Difference` that say which number it is.
        """
        both = np.isfinite(a) & np.isfinite(b)
        interval = paired_difference(a, b, seed=self.seed, draws=self.draws)
        return found(a[both], b[both], interval, "paired", units, **where)

    def drawn_apart(self, a: np.ndarray, b: np.ndarray, *, units: str, **where: Any) -> Difference:
        """Compare two means over samples that have no partners, such as heads.

        Args:
            a: One number per sample of the first side.
            b: Likewise of the second.
            units: What the samples are.
            **where: The fields of `Difference` that say which number it is.
        """
        interval = separate_difference(a, b, seed=self.seed, draws=self.draws)
        kept = a[np.isfinite(a)], b[np.isfinite(b)]
        return found(*kept, interval, "separate", units, **where)


def found(
    a: np.ndarray, b: np.ndarray, interval: Interval, method: Method, units: str, **where: Any
) -> Difference:
    """Put a resampled difference of means into words.

    Args:
        a: The finite samples of the first side.
        b: Those of the second.
        interval: Their difference.
        method: How its interval was found.
        units: What the samples are.
        **where: The fields of `Difference` that say which number it is.
    """
    n = min(len(a), len(b))
    if np.isnan(interval.low):
        method, units, n = "none", f"under two {units}", 0
    nan = float("nan")
    return Difference(
        **where,
        a=float(a.mean()) if len(a) else nan,
        b=float(b.mean()) if len(b) else nan,
        difference=interval.mean,
        low=interval.low,
        high=interval.high,
        method=method,
        units=units,
        n=n,
    )


def by_errors(
    a: float, b: float, *, se_a: float, se_b: float, units: str, n: int, **where: Any
) -> Difference:
    """Compare two numbers by their standard errors.

    Args:
        a: The number of the first side.
        b: That of the second.
        se_a: Standard error of the first; NaN where undefined.
        se_b: That of the second.
        units: What the errors are over.
        n: How many of them.
        **where: The fields of `Difference` that say which number it is.
    """
    interval = error_difference(a, b, se_a=se_a, se_b=se_b)
    return _bounded(a, b, interval, "errors", units=units, n=n, **where)


def _bounded(
    a: float, b: float, interval: Interval, method: Method, *, units: str, n: int, **where: Any
) -> Difference:
    if np.isnan(interval.low):
        return without_interval(a, b, why="no standard error", **where)
    return Difference(
        **where,
        a=a,
        b=b,
        difference=interval.mean,
        low=interval.low,
        high=interval.high,
        method=method,
        units=units,
        n=n,
    )


def by_groups(a: Score, b: Score, *, units: str, n: int, **where: Any) -> Difference:
    """Compare two scores that were found on the same samples.

    Args:
        a: The first side's score, and what it is without each group of samples.
        b: Likewise of the second.
        units: What the samples are.
        n: How many of them.
        **where: The fields of `Difference` that say which number it is.
    """
    if len(a.without) != len(b.without) or len(a.without) < 2:
        return by_intervals(a, b, units=units, n=n, **where)
    interval = jackknife_difference(
        a.value, b.value, without_a=np.array(a.without), without_b=np.array(b.without)
    )
    return _bounded(a.value, b.value, interval, "paired", units=units, n=n, **where)


def by_intervals(a: Score, b: Score, *, units: str, n: int, **where: Any) -> Difference:
    """Compare two scores by the interval of each.

    Args:
        a: The first side's score.
        b: The second's.
        units: What the intervals are over.
        n: How many of them.
        **where: The fields of `Difference` that say which number it is.
    """
    errors = [(side.high - side.low) / (2 * NORMAL) for side in (a, b)]
    return by_errors(a.value, b.value, se_a=errors[0], se_b=errors[1], units=units, n=n, **where)


def without_interval(a: float, b: float, *, why: str, **where: Any) -> Difference:
    """Compare two numbers that nothing was sampled for.

    Args:
        a: The number of the first side.
        b: That of the second.
        why: Why there is no interval.
        **where: The fields of `Difference` that say which number it is.
    """
    nan = float("nan")
    return Difference(
        **where, a=a, b=b, difference=b - a, low=nan, high=nan, method="none", units=why, n=0
    )
