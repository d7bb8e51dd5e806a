"""The page section of a comparison of two checkpoints."""

import math
from typing import Any

import pandas as pd

from posprobe.analysis.comparison import ComparisonResult, Difference
from posprobe.figures.comparison import comparison_figures
from posprobe.figures.sites import layer_name
from posprobe.figures.words import decimal
from posprobe.report.section import Block, Section
from posprobe.report.table import Table

COLUMNS = {
    "a": "the first checkpoint",
    "b": "the second checkpoint",
    "measure": "the measure the number is from",
    "quantity": "what the number is",
    "condition": "which weights and input: `checkpoint`, `random init`, `non-causal`, …",
    "place": "site without its layer, stream, term, class of head or table",
    "layer": "layer, −1 for the token embedding; empty where there is none",
    "head": "head; empty where heads are taken together",
    "value_a": "the number of the first checkpoint",
    "value_b": "the number of the second",
    "difference": "second minus first",
    "low": "lower end of the 95 % interval of the difference; empty where there is none",
    "high": "its upper end",
    "method": "where the interval is from: `paired` (the same prompts or documents on both sides), "
    "`separate` (each side drawn again by itself), `errors` (from each side's standard error), "
    "`none`",
    "units": "what was drawn again, or why there is no interval",
    "n": "how many of them",
}
"""The columns of `compare.csv`."""

_TERMINAL_ROWS = 40
_SENTENCES = 3


def comparison_section(result: ComparisonResult) -> Section:
    """Describe what a page says of a comparison.

    Args:
        result: The differences between two checkpoints.
    """
    return Section(
        measure="compare",
        title=f"What differs between {result.a} and {result.b}",
        headline=_headline(result),
        what=f"Each number that both checkpoints have, and {result.b} minus {result.a}. Both ran "
        "the same measures with the same options, on the same documents or prompts where these "
        "have the same tokens.",
        reading="An interval that leaves 0 out says that other prompts or documents of the same "
        "kind would show a difference of the same sign. Paired intervals are the sharpest, since "
        "what makes one prompt hard for both drops out. One interval in twenty leaves 0 out by "
        "chance alone, so look for differences that hold over neighbouring layers.",
        source="The measures are those of the sections they are named after; the intervals are "
        "percentile bootstraps, for scores of probes a jackknife over groups of documents, and "
        "from standard errors where a measure keeps no more.",
        limits="A difference between two checkpoints is not an effect of what they differ in: "
        "seeds and training differ too, and the intervals leave that out. Numbers without an "
        "interval may differ by chance.",
        overview=_overview(result),
        blocks=_blocks(result),
        columns=COLUMNS,
    )


def _headline(result: ComparisonResult) -> tuple[str, ...]:
    sure = [item for item in result.differences if math.isfinite(item.low)]
    sentences = []
    if sure:
        apart = [item for item in sure if item.apart]
        sentences.append(
            f"Of {len(sure)} differences between {result.a} and {result.b} that have an interval, "
            f"{len(apart)} are clear of 0; by chance about {max(1, round(len(sure) / 20))} would "
            "be."
        )
    measures = dict.fromkeys(item.measure for item in result.differences)
    largest = [_largest(result, measure) for measure in measures]
    sentences += [sentence for sentence in largest if sentence][:_SENTENCES]
    return (*sentences, *result.left_out)


def _largest(result: ComparisonResult, measure: str) -> str:
    own = [d for d in result.differences if d.measure == measure and math.isfinite(d.difference)]
    main = [d for d in own if d.head is None and d.condition == own[0].condition]
    # Shares and scores are on one scale; what counts components is not.
    main = [d for d in main if max(abs(d.a), abs(d.b)) <= 1] or main
    if not main:
        return ""
    apart = [d for d in main if d.apart]
    top = max(apart or main, key=lambda d: abs(d.difference))
    interval = "" if math.isnan(top.low) else f" [{_signed(top.low)}, {_signed(top.high)}]"
    begin = f"The largest difference in {measure} is"
    if interval:
        begin = f"No difference in {measure} is clear of 0; the largest is"
        if apart:
            begin = f"The largest difference in {measure} that is clear of 0 is"
    return (
        f"{begin} in {_where(top)}: {decimal(top.a)} for {result.a}, {decimal(top.b)} for "
        f"{result.b}, {_signed(top.difference)}{interval}."
    )


def _where(item: Difference) -> str:
    place = f" at {item.place}" if item.place else ""
    if item.layer is None:
        return f"{item.quantity}{place}"
    layer = "the token embedding" if item.layer == -1 else f"layer {item.layer}"
    return f"{item.quantity}{place}, {layer}"


def _signed(value: float) -> str:
    return ("+" if value > 0 else "") + decimal(value)


def _row(result: ComparisonResult, item: Difference, kept: tuple[str, ...]) -> dict[str, Any]:
    names = {
        "measure": item.measure,
        "quantity": item.quantity,
        "condition": item.condition,
        "place": item.place,
        "layer": layer_name(item.layer),
        "head": pd.NA if item.head is None else item.head,
    }
    numbers = {result.a: item.a, result.b: item.b, "difference": item.difference}
    # NA is "not there"; NaN would be "undefined".
    ends = {n: pd.NA if item.method == "none" else getattr(item, n) for n in ("low", "high")}
    method = {"interval": item.units if item.method == "none" else f"{item.method}, {item.units}"}
    return {name: names[name] for name in kept} | numbers | ends | method


def _overview(result: ComparisonResult) -> pd.DataFrame:
    whole = [item for item in result.differences if item.head is None]
    first = {item.measure: item.condition for item in reversed(whole)}
    main = [item for item in whole if item.condition == first[item.measure]]
    kept = ("measure", "quantity", "place", "layer")
    return pd.DataFrame([_row(result, item, kept) for item in main[:_TERMINAL_ROWS]])


def _blocks(result: ComparisonResult) -> tuple[Block, ...]:
    blocks = []
    for figure, items in comparison_figures(result):
        kept = tuple(
            name
            for name in ("quantity", "condition", "place", "layer", "head")
            if len({getattr(item, name) for item in items}) > 1
        ) or ("quantity",)
        frame = pd.DataFrame([_row(result, item, kept) for item in items])
        table = Table(frame=frame, caption=f"{figure.title}, in numbers", heads=len(kept))
        blocks.append(Block(figure=figure, tables=(table,)))
    return tuple(blocks)
