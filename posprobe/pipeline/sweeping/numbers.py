"""From the reports of a sweep's cells to one table and to the numbers that are drawn."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pandas as pd

from posprobe.analysis.adjacency import AdjacencyResult
from posprobe.analysis.decomposition import LOGIT_PARTS, STATE_PARTS, DecompositionResult
from posprobe.analysis.heads import HeadsResult
from posprobe.analysis.manifold import ManifoldResult
from posprobe.analysis.probes import ProbesResult
from posprobe.analysis.sweep import SweepPoint
from posprobe.core.result import Result
from posprobe.figures.decomposition import STREAMS
from posprobe.figures.finite import finite_mean
from posprobe.figures.heads import TERMS
from posprobe.figures.manifold_nulls import MEASURES
from posprobe.figures.probes_words import place_words, quantity_words
from posprobe.figures.sites import place
from posprobe.pipeline.sweeping.job import Outcome
from posprobe.pipeline.sweeping.spec import Cell


def sweep_points(result: Result) -> tuple[SweepPoint, ...]:
    """Return the headline numbers of a result, by layer where there are layers.

    Args:
        result: What a measure returned.
    """
    return tuple(_POINTS[type(result)](result))


def sweep_table(
    cells: Sequence[Cell], outcomes: Sequence[Outcome], axes: Sequence[str]
) -> pd.DataFrame:
    """Return every number of every cell: one row per number, one column per axis.

    A column of a result that has the name of an axis is called `result_…`. A cell that failed
    is one row, with its reason.

    Args:
        cells: The cells.
        outcomes: What became of each.
        axes: The axes.
    """
    parts = []
    for cell, outcome in zip(cells, outcomes, strict=True):
        at = {"measure": cell.measure, **{axis: cell.at.get(axis) for axis in axes}}
        if outcome.report is None:
            parts.append(pd.DataFrame([{**at, "failed": outcome.failed}]))
            continue
        frame = outcome.report.result.to_frame()
        same = {name: f"result_{name}" for name in frame if name in at and name != "checkpoint"}
        frame = frame.rename(columns=same)
        for index, (name, value) in enumerate(at.items()):
            if name in frame:
                frame = frame.drop(columns=name)
            frame.insert(index, name, value)
        parts.append(frame)
    table = pd.concat(parts, ignore_index=True)
    if "failed" not in table:
        table["failed"] = None
    return table.astype({name: _column_type(table[name].tolist()) for name in (*axes, "failed")})


def _column_type(values: list[Any]) -> str:
    """Choose a type that every value of an axis has, so that a file can hold them."""
    kinds = {type(value) for value in values if not pd.isna(value)}
    if kinds and kinds <= {int}:
        return "Int64"
    if kinds and kinds <= {int, float}:
        return "float64"
    return "boolean" if kinds == {bool} else "string"


def _of_adjacency(result: AdjacencyResult) -> Iterator[SweepPoint]:
    for score in result.scores:
        if score.feature == "cosine" and score.head is None:
            numbers = (getattr(score, f"{result.average}_{n}") for n in ("mean", "low", "high"))
            yield _point(
                "adjacency score", score.condition, place(score.site), score.layer, *numbers
            )


def _of_probes(result: ProbesResult) -> Iterator[SweepPoint]:
    for score in result.scores:
        best = score.headline
        yield _point(
            quantity_words(score),
            score.condition,
            place_words(score),
            score.layer,
            *(best.value, best.low, best.high),
        )


def _of_heads(result: HeadsResult, condition: str = "checkpoint") -> Iterator[SweepPoint]:
    for index, term in enumerate(result.terms):
        for layer, shares in enumerate(result.share[..., index]):
            mean = finite_mean(shares)
            name = TERMS.get(term, term)
            yield _point("share of the logits, mean over heads", condition, name, layer, mean)
    if result.init is not None:
        yield from _of_heads(result.init, "random init")


def _of_decomposition(
    result: DecompositionResult, condition: str = "checkpoint"
) -> Iterator[SweepPoint]:
    for parts in result.states:
        for index, name in enumerate(STATE_PARTS):
            value, error = float(parts.share[index]), 2 * float(parts.share_se[index])
            yield _point(
                f"share of the states, {name}",
                condition,
                STREAMS[parts.stream],
                parts.layer,
                *(value, value - error, value + error),
            )
    if result.logits is not None:
        for index, part in enumerate(LOGIT_PARTS):
            for layer, shares in enumerate(result.logits.share[..., index]):
                mean = finite_mean(shares)
                yield _point("share of the logits, mean over heads", condition, part, layer, mean)
    if result.init is not None:
        yield from _of_decomposition(result.init, "random init")


def _of_manifolds(result: ManifoldResult) -> Iterator[SweepPoint]:
    for shape in result.manifolds:
        step = "checkpoint" if shape.label.count(", step") == 0 else shape.label
        for name, quantity in MEASURES.items():
            value = float(getattr(shape, name))
            yield _point(quantity, step, place(shape.site), shape.layer, value)


_POINTS: dict[type[Result], Callable[[Any], Iterator[SweepPoint]]] = {
    AdjacencyResult: _of_adjacency,
    ProbesResult: _of_probes,
    HeadsResult: _of_heads,
    ManifoldResult: _of_manifolds,
    DecompositionResult: _of_decomposition,
}


def _point(
    quantity: str, condition: str, where: str, layer: int | None, value: float, *ends: float
) -> SweepPoint:
    low, high = ends or (float("nan"), float("nan"))
    return SweepPoint(
        quantity=quantity,
        condition=condition,
        place=where,
        layer=layer,
        value=float(value),
        low=float(low),
        high=float(high),
    )
