"""The page section of a sweep."""

import math
from typing import Any

import pandas as pd

from posprobe.analysis.sweep import SweepCell, SweepPoint, SweepResult, setting_words
from posprobe.figures.sites import layer_name
from posprobe.figures.sweep import Group, sweep_figures
from posprobe.figures.words import decimal, upper_first
from posprobe.report.section import Block, Section
from posprobe.report.table import Table

COLUMNS = {
    "measure": "the measure the number is from",
    "quantity": "what the number is",
    "condition": "which weights and input: `checkpoint`, `random init`, …",
    "place": "site without its layer, stream, term or table",
    "layer": "layer, −1 for the token embedding; empty where there is none",
    "statistic": "`value`, or `low` and `high` of its 95 % interval",
    "value": "the number; empty where it is undefined",
    "failed": "why a cell has no numbers; else empty",
}
"""The columns of `sweep.csv`, beside one for each axis."""

_SENTENCES = 3
_TERMINAL_ROWS = 60


def sweep_section(result: SweepResult) -> Section:
    """Describe what a page says of a sweep.

    Args:
        result: The cells.
    """
    axes = ", ".join(axis.replace("_", " ") for axis in result.varying) or "nothing"
    return Section(
        measure="sweep",
        title=result.title,
        headline=_headline(result),
        what=f"{len(result.cells)} cells of a grid that differ in {axes}. Each is a measurement "
        "of its own, as its measure makes it by itself.",
        reading="A line is a setting, a panel a combination of the others. The tables below have "
        "the headline numbers; sweep.parquet has every number of every cell.",
        source="The definitions are those of each measure; posprobe with the name of a measure "
        "makes a page that explains them.",
        limits="Intervals are over documents or prompts within a cell. What differs between two "
        "seeds shows only where the seed is an axis.",
        overview=_overview(result),
        blocks=_blocks(result),
        columns={**dict.fromkeys(result.axes, "an axis of the grid"), **COLUMNS},
    )


def _headline(result: SweepResult) -> tuple[str, ...]:
    sentences = _ranges(result)
    failed = result.failed
    if failed:
        first = failed[0]
        told = (
            f"{len(failed)} of {len(result.cells)} cells failed; the first, "
            f"{setting_words(first.at)}: {first.failed.rstrip('.') if first.failed else ''}."
        )
        sentences = [*sentences[: _SENTENCES - 1], told]
    return tuple(sentences[:_SENTENCES]) or ("No cell has a number.",)


def _ranges(result: SweepResult) -> list[str]:
    """Say between what each number lies, the first number of every measure before all others."""
    told: dict[str, list[str]] = {}
    for _, group in sweep_figures(result):
        if sentence := _range(result, group):
            told.setdefault(group[0][0].measure, []).append(sentence)
    first = [sentences.pop(0) for sentences in told.values()]
    return [*first, *(sentence for sentences in told.values() for sentence in sentences)]


def _range(result: SweepResult, group: Group) -> str:
    ends = [item for item in _ends(group) if math.isfinite(item[1].value)]
    if not ends:
        return ""
    lowest, highest = (choose(ends, key=lambda e: e[1].value) for choose in (min, max))
    point = lowest[1]
    where = "" if point.layer is None else ", last layer"
    several = len({point.condition for _, point in ends}) > 1
    low, high = (
        _told(result, cell, point, [point.condition] if several else [])
        for cell, point in (lowest, highest)
    )
    between = low if low == high else f"from {low} to {high}"
    return f"{upper_first(point.quantity)}, {point.place}{where}: {between}."


def _ends(group: Group) -> list[tuple[SweepCell, SweepPoint]]:
    """Take of each cell and condition the point of its last layer."""
    last: dict[tuple[int, str], tuple[SweepCell, SweepPoint]] = {}
    for cell, point in group:
        key = (id(cell), point.condition)
        if key not in last or (point.layer or 0) >= (last[key][1].layer or 0):
            last[key] = (cell, point)
    return list(last.values())


def _told(result: SweepResult, cell: SweepCell, point: SweepPoint, condition: list[str]) -> str:
    at = {axis: cell.at[axis] for axis in result.varying if axis in cell.at}
    words = [*([setting_words(at)] if at else []), *condition]
    return decimal(point.value, 3) + (f" ({', '.join(words)})" if words else "")


def _overview(result: SweepResult) -> pd.DataFrame:
    """Return a row per cell, its first and its last layer at the first place."""
    rows = []
    for cell in result.cells[:_TERMINAL_ROWS]:
        row: dict[str, Any] = {"measure": cell.measure, **_at(result, cell)}
        inner = [point for point in cell.points if point.layer != -1] or list(cell.points)
        own = [p for p in inner if _which(p) == _which(inner[0])]
        if own:
            first, last = own[0], own[-1]
            row |= {"quantity": first.quantity, "place": first.place, "condition": first.condition}
            row |= {"first": first.value, "last": last.value}
        rows.append(row | {"failed": cell.failed or pd.NA})
    names = dict.fromkeys(name for row in rows for name in row if name != "failed")
    if result.failed:
        names["failed"] = None
    # NA is "not there"; NaN would be "undefined".
    complete = [{name: row.get(name, pd.NA) for name in names} for row in rows]
    return pd.DataFrame(complete, dtype=object)


def _which(point: SweepPoint) -> tuple[str, str, str]:
    return point.quantity, point.place, point.condition


def _at(result: SweepResult, cell: SweepCell) -> dict[str, Any]:
    # As text: an axis is a name of the row, not a number to round.
    return {
        axis: pd.NA if cell.at.get(axis) is None else str(cell.at[axis]) for axis in result.varying
    }


def _blocks(result: SweepResult) -> tuple[Block, ...]:
    blocks = []
    for figure, group in sweep_figures(result):
        rows = [
            {
                **_at(result, cell),
                "condition": point.condition,
                "layer": layer_name(point.layer),
                "value": point.value,
                **({"low": point.low, "high": point.high} if math.isfinite(point.low) else {}),
            }
            for cell, point in group
        ]
        frame = pd.DataFrame(rows)
        heads = len(result.varying) + 2
        table = Table(frame=frame, caption=f"{figure.title}, in numbers", heads=heads)
        blocks.append(Block(figure=figure, tables=(table,)))
    if result.failed:
        failed = [
            {"measure": cell.measure, **_at(result, cell), "reason": cell.failed}
            for cell in result.failed
        ]
        table = Table(
            frame=pd.DataFrame(failed),
            caption="Cells that failed",
            heads=1 + len(result.varying),
        )
        blocks.append(Block(figure=None, beside=table))
    return tuple(blocks)
