"""What differs between two checkpoints: the result."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

import pandas as pd

from posprobe.core.result import Result

Method = Literal["paired", "separate", "errors", "none"]
_COLUMNS = (
    *("a", "b", "measure", "quantity", "condition", "place", "layer", "head"),
    *("value_a", "value_b", "difference", "low", "high", "method", "units", "n"),
)


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One number of two checkpoints.

    Attributes:
        measure: The measure it is from.
        quantity: What the number is, in words.
        condition: Which weights and input, such as `checkpoint` or `non-causal`.
        place: Site without its layer, stream, term or table; empty where there is none.
        layer: Layer, −1 for the token embedding; None where there is none.
        head: Head; None where heads are taken together.
        a: The number of the first checkpoint.
        b: The number of the second.
        difference: b − a.
        low: Lower end of the 95 % interval of the difference; NaN where there is none.
        high: Its upper end.
        method: Where the interval is from. `paired`: the same documents or prompts on both
            sides, drawn again or left out together. `separate`: both sides drawn again by
            themselves. `errors`: from the standard error of each, as if they were independent.
            `none`.
        units: What was drawn again, such as `prompts`; why there is no interval if there is none.
        n: How many of them; 0 if there is no interval.
    """

    measure: str
    quantity: str
    condition: str
    place: str
    layer: int | None
    head: int | None
    a: float
    b: float
    difference: float
    low: float
    high: float
    method: Method
    units: str
    n: int

    @property
    def apart(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, kw_only=True)
class ComparisonResult(Result):
    """The differences between two checkpoints, measure by measure.

    Attributes:
        a: The first checkpoint.
        b: The second.
        differences: One per number that both have, b − a.
        left_out: What could not be compared and why, a sentence each.
    """

    a: str
    b: str
    differences: tuple[Difference, ...]
    left_out: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per difference."""
        rows = [
            {**asdict(item), "a": self.a, "b": self.b, "value_a": item.a, "value_b": item.b}
            for item in self.differences
        ]
        frame = pd.DataFrame(rows, columns=list(_COLUMNS))
        return frame.astype({"layer": "Int64", "head": "Int64"})

    def summary(self) -> dict[str, Any]:
        """Return for each measure how many differences there are, and how many are clear."""
        found: dict[str, Any] = {"a": self.a, "b": self.b}
        for item in self.differences:
            counts = found.setdefault(item.measure, {"differences": 0, "intervals": 0, "apart": 0})
            counts["differences"] += 1
            counts["intervals"] += item.method != "none"
            counts["apart"] += item.apart
        return found
