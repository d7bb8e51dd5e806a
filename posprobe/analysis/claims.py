"""What two papers claim, and whether the numbers here show it."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from posprobe.core.result import Result

Verdict = Literal["shown", "partly", "not shown", "not tested"]

RULE = (
    "Each claim is cut into criteria with bounds. A criterion "
    "holds if its number passes the bound; where there is an interval, the whole interval has to. "
    "A claim is shown if all its criteria hold, partly shown if some do, not shown if none does, "
    "and not tested if there was nothing to test it on."
)

_COLUMNS = ("claim", "verdict", "criterion", "bound", "value", "low", "high", "holds")


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """One number and the bound it has to pass.

    Attributes:
        says: What is measured, in words.
        value: The number; NaN where it could not be had.
        low: Lower end of its 95 % interval; NaN if there is none.
        high: Its upper end.
        least: What the number must reach; None: no lower bound.
        most: What it must not exceed; None: no upper bound.
    """

    says: str
    value: float
    low: float = math.nan
    high: float = math.nan
    least: float | None = None
    most: float | None = None

    @property
    def holds(self) -> bool | None:
        """Whether the number and its interval pass; None if there is no number."""
        if math.isnan(self.value):
            return None
        lowest = self.value if math.isnan(self.low) else self.low
        highest = self.value if math.isnan(self.high) else self.high
        return (self.least is None or lowest >= self.least) and (
            self.most is None or highest <= self.most
        )

    @property
    def bound(self) -> str:
        """The bound in signs.

        >>> Criterion(says="", value=0.5, least=0.4, most=0.6).bound
        '0.4 to 0.6'
        """
        if self.least is not None and self.most is not None:
            return f"{self.least:g} to {self.most:g}"
        return f"≤ {self.most:g}" if self.least is None else f"≥ {self.least:g}"


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One claim of a paper with what was found.

    Attributes:
        id: Its name here, such as `A1`.
        says: The claim.
        paper: Where it is from.
        number: The paper's number, in words.
        criteria: What was measured; empty if nothing was.
        commands: The command lines that measure it.
        evidence: Anchor of the figure that shows it; empty if there is none.
        remark: What a reader should know, such as why it was not tested.
    """

    id: str
    says: str
    paper: str
    number: str
    criteria: tuple[Criterion, ...] = ()
    commands: tuple[str, ...] = ()
    evidence: str = ""
    remark: str = ""

    @property
    def verdict(self) -> Verdict:
        """What the criteria say, by `RULE`."""
        found = [c.holds for c in self.criteria if c.holds is not None]
        if not found:
            return "not tested"
        if all(found):
            # What could not be measured is not shown.
            return "shown" if len(found) == len(self.criteria) else "partly"
        return "partly" if any(found) else "not shown"


@dataclass(frozen=True, kw_only=True)
class ClaimsResult(Result):
    """The claims of arXiv 2605.30022 and 2501.00073, tested on given checkpoints.

    Attributes:
        claims: The claims in the papers' order.
        quick: Whether fewer documents and settings were measured.
        rule: How a verdict comes about.
    """

    claims: tuple[Claim, ...]
    quick: bool
    rule: str = RULE

    def to_frame(self) -> pd.DataFrame:
        """Return one row per criterion; a claim that was not tested has a row of its own."""
        rows = []
        for claim in self.claims:
            place = {"claim": claim.id, "verdict": claim.verdict}
            for item in claim.criteria:
                numbers = {"value": item.value, "low": item.low, "high": item.high}
                held = {None: "", True: "yes", False: "no"}[item.holds]
                said = {"criterion": item.says, "bound": item.bound, "holds": held}
                rows.append({**place, **said, **numbers})
            if not claim.criteria:
                rows.append(place)
        return pd.DataFrame(rows, columns=list(_COLUMNS))

    def summary(self) -> dict[str, Any]:
        """Return the verdict of each claim."""
        return {claim.id: claim.verdict for claim in self.claims}
