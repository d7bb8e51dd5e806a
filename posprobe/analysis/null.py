"""What a table without learned structure scores, beside what a real one does."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

NULLS = ("gaussian", "random walk", "shuffled")
NULL_NUMBERS = (
    *("top2", "top2_sd", "excess_top2"),
    *("low4_top2", "low4_top2_sd", "excess_low4_top2"),
    *("low4_all", "low4_all_sd", "excess_low4_all"),
)


@dataclass(frozen=True, kw_only=True)
class Null:
    """What a table without learned structure would score, and how far a table is above it.

    An excess is `(value − null) / (1 − null)`: 0 is no better than the null, 1 is perfect,
    below 0 is worse. It is NaN where the null itself is 1.

    Attributes:
        top2: Variance of the first two components, mean over draws.
        low4_top2: Low-frequency power of the first two components, mean over draws.
        low4_all: Low-frequency power of the whole table, mean over draws.
        top2_sd: Standard deviation over draws; likewise the other two.
        low4_top2_sd: See `top2_sd`.
        low4_all_sd: See `top2_sd`.
        excess_top2: The table's excess over this null; likewise the other two.
        excess_low4_top2: See `excess_top2`.
        excess_low4_all: See `excess_top2`.
        draws: How many random tables were drawn.
    """

    top2: float
    low4_top2: float
    low4_all: float
    top2_sd: float
    low4_top2_sd: float
    low4_all_sd: float
    excess_top2: float
    excess_low4_top2: float
    excess_low4_all: float
    draws: int


def compare(values: tuple[float, float, float], drawn: Float[np.ndarray, "sample 3"]) -> Null:
    """Set a table's numbers beside those of random tables.

    Args:
        values: `top2`, `low4_top2` and `low4_all` of the table.
        drawn: The same of each random table.

    >>> compare((0.9, 0.9, 0.9), np.full((2, 3), 0.8)).excess_top2
    0.5
    """
    numbers: dict[str, float] = {}
    for value, draws, name in zip(values, drawn.T, ("top2", "low4_top2", "low4_all"), strict=True):
        mean, sd = _mean_and_sd(draws)
        room = 1 - mean
        numbers[name] = mean
        numbers[f"{name}_sd"] = sd
        numbers[f"excess_{name}"] = (value - mean) / room if room > 1e-9 else float("nan")
    return Null(**numbers, draws=len(drawn))


def _mean_and_sd(draws: Float[np.ndarray, " sample"]) -> tuple[float, float]:
    if len(draws) < 2:
        return float(draws[0]), float("nan")
    if np.ptp(draws) == 0:
        # The mean of equal numbers may round; shuffling must leave top2 exactly as it is.
        return float(draws[0]), 0.0
    return float(draws.mean()), float(draws.std(ddof=1))
