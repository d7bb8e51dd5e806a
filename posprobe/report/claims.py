"""The page section of the papers' claims."""

from collections import Counter
from collections.abc import Iterator

import pandas as pd

from posprobe.analysis.claims import Claim, ClaimsResult, Criterion
from posprobe.figures.words import decimal
from posprobe.report.section import Block, Section
from posprobe.report.table import Table

COLUMNS = {
    "claim": "its name, such as A1",
    "verdict": "`shown`, `partly`, `not shown` or `not tested`",
    "criterion": "what was measured",
    "bound": "what the number has to pass",
    "value": "the number",
    "low": "lower end of its 95 % interval; empty where there is none",
    "high": "its upper end",
    "holds": "`yes`, `no`, or empty where there is no number",
}
"""The columns of `claims.csv`; the JSON file has the same numbers as nested fields."""


def claims_section(result: ClaimsResult) -> Section:
    """Describe what a page says of the claims.

    Args:
        result: The claims with what was found.
    """
    return Section(
        measure="claims",
        title="What the papers claim, and what is found here",
        headline=_headline(result),
        what="Claims of two papers on how transformers hold position, each measured on "
        "the checkpoints of this page.",
        reading=result.rule,
        source="The claims are from “Give it Space!” (arXiv 2605.30022) and “Position Information "
        "Emerges in Causal Transformers Without Positional Encodings via Similarity of Nearby "
        "Embeddings” (arXiv 2501.00073). The criteria and bounds are ours.",
        limits="The checkpoints that ship are small and trained on little text; a claim that they "
        "do not show may hold of the papers' models. One seed of each stands for all.",
        overview=verdict_table(result).frame.filter(["claim", "verdict", "found here"]),
        blocks=tuple(_blocks(result)),
        columns=COLUMNS,
    )


def _blocks(result: ClaimsResult) -> Iterator[Block]:
    shown = tuple(
        (f"The figure behind {claim.id}", claim.evidence)
        for claim in result.claims
        if claim.evidence
    )
    yield Block(figure=None, tables=(verdict_table(result),), links=shown)
    if any(claim.criteria for claim in result.claims):
        yield Block(figure=None, tables=(criteria_table(result),))
        yield Block(figure=None, tables=(_commands(result),))


def verdict_table(result: ClaimsResult) -> Table:
    """Return one row per claim: the paper's number, ours, and the verdict."""
    rows = [
        {
            "claim": claim.id,
            "verdict": claim.verdict,
            "what is claimed": claim.says,
            "paper": f"{claim.number} ({claim.paper})",
            "found here": found_here(claim),
        }
        for claim in result.claims
    ]
    notes = tuple(f"{claim.id}: {claim.remark}" for claim in result.claims if claim.remark)
    return Table(frame=pd.DataFrame(rows), caption="The claims", notes=notes)


def criteria_table(result: ClaimsResult) -> Table:
    """Return one row per criterion."""
    rows = [
        {
            "claim": claim.id,
            "criterion": item.says,
            "bound": item.bound,
            "value": item.value,
            "95 % interval": _interval(item),
            "holds": {None: "no number", True: "yes", False: "no"}[item.holds],
        }
        for claim in result.claims
        for item in claim.criteria
    ]
    return Table(frame=pd.DataFrame(rows), caption="The criteria behind the verdicts", heads=2)


def found_here(claim: Claim) -> str:
    """Say the first numbers of a claim in a line.

    >>> found_here(Claim(id="B1", says="", paper="", number=""))
    '–'
    """
    said = [f"{item.says}: {decimal(item.value)}" for item in claim.criteria[:2]]
    more = len(claim.criteria) - len(said)
    return "; ".join(said) + (f"; {more} more" if more else "") or "–"


def _headline(result: ClaimsResult) -> tuple[str, ...]:
    by_verdict: dict[str, list[str]] = {}
    for claim in result.claims:
        by_verdict.setdefault(claim.verdict, []).append(claim.id)
    counts = Counter({verdict: len(ids) for verdict, ids in by_verdict.items()})
    first = ", ".join(f"{counts[v]} {_WORDS[v]}" for v in _WORDS if counts[v])
    sentences = [f"Of {len(result.claims)} claims, {first}."]
    for verdict in ("shown", "partly", "not shown"):
        if ids := by_verdict.get(verdict):
            sentences.append(f"{_WORDS[verdict].capitalize()}: {', '.join(ids)}.")
    return tuple(sentences)


_WORDS = {
    "shown": "shown",
    "partly": "partly shown",
    "not shown": "not shown",
    "not tested": "not tested",
}


def _interval(item: Criterion) -> str:
    if item.low != item.low:
        return ""
    return f"{decimal(item.low)} to {decimal(item.high)}"


def _commands(result: ClaimsResult) -> Table:
    rows = [
        {"claim": claim.id, "command": command}
        for claim in result.claims
        for command in claim.commands
    ]
    return Table(frame=pd.DataFrame(rows), caption="The commands that measure them")
