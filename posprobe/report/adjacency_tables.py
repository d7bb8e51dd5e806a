"""Tables of the `adjacency` measure."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from posprobe.analysis.adjacency import AdjacencyResult, AdjacencyScore
from posprobe.figures.adjacency_maps import similarity_id, similarity_maps, variance_stride
from posprobe.figures.sites import layer_name, place
from posprobe.report.table import Table

Where = tuple[str, str, int | None]
_PLACE = ("condition", "site", "score")


def overview(result: AdjacencyResult) -> pd.DataFrame:
    """Return the mean scores, a row per condition and site, a column per layer.

    The cosine score in both averages, the one that headlines first, then its norm
    counterpart in that average.
    """
    whole = [score for score in result.scores if score.head is None]
    embedded = [score for score in whole if score.layer == -1]
    # Every site of a condition starts from the embedding, in the column before layer 0.
    listed = [score for score in whole if score.layer != -1] or embedded
    other = "triples" if result.average == "rows" else "rows"
    kinds = (("cosine", result.average), ("cosine", other), ("norm", result.average))
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    for (feature, average), score in product(kinds, listed):
        if score.feature != feature:
            continue
        key = (score.condition, place(score.site), f"{feature}, {average}")
        row = rows.setdefault(key, dict(zip(_PLACE, key, strict=True)))
        starts = [e for e in embedded if (e.condition, e.feature) == (key[0], feature)]
        for cell in (*starts, score):
            row[layer_name(cell.layer)] = getattr(cell, f"{average}_mean")
    return pd.DataFrame(list(rows.values()))


def by_layer(result: AdjacencyResult) -> pd.DataFrame:
    """Return one row per condition, site and layer: means, interval, norm counterpart."""
    rows = [_row(result, where, pair) for where, pair in _whole(result).items()]
    names = dict.fromkeys(name for row in rows for name in row)
    # NA is "not measured"; NaN would be "undefined".
    return pd.DataFrame([{name: row.get(name, pd.NA) for name in names} for row in rows])


def score_table(result: AdjacencyResult) -> Table:
    """Return the scores by condition, site and layer in both averages."""
    return Table(
        frame=by_layer(result),
        caption=f"Mean scores over {result.sequences} sequences; the interval and the standard "
        f"deviation are of the cosine score averaged over {result.average}",
        heads=3,
        notes=_notes(result),
    )


def head_tables(result: AdjacencyResult) -> tuple[Table, ...]:
    """Return the cosine scores of single heads in both averages, layers by heads."""
    groups: dict[tuple[str, str], list[AdjacencyScore]] = {}
    for score in result.scores:
        if score.head is not None and score.feature == "cosine":
            groups.setdefault((score.condition, place(score.site)), []).append(score)
    averages = ("rows", "triples") if result.average == "rows" else ("triples", "rows")
    return tuple(
        Table(
            frame=_by_head(scores, average),
            caption=f"{condition}, {site}: mean cosine score by head, averaged over {average}",
        )
        for average in averages
        for (condition, site), scores in groups.items()
    )


def _by_head(scores: list[AdjacencyScore], average: str) -> pd.DataFrame:
    rows: dict[int | None, dict[str, Any]] = {}
    for score in scores:
        row = rows.setdefault(score.layer, {"layer": layer_name(score.layer)})
        row[f"head {score.head}"] = getattr(score, f"{average}_mean")
    return pd.DataFrame(list(rows.values()))


def similarity_tables(result: AdjacencyResult, figure_id: str) -> tuple[Table, ...]:
    """Return the matrices of one figure as drawn, a table each.

    Args:
        result: An adjacency result.
        figure_id: The figure whose matrices are asked for.
    """
    tables = []
    for item in similarity_maps(result):
        if item.layer != -1 and similarity_id(item.place) != figure_id:
            continue
        starts = (np.arange(len(item.matrix)) * item.step).tolist()
        frame = pd.DataFrame(item.matrix, columns=[str(start) for start in starts])
        frame.insert(0, "position", starts)
        blocks = f", blocks of {item.step} positions" if item.step > 1 else ""
        where = "token embedding" if item.layer == -1 else f"layer {layer_name(item.layer)}"
        caption = f"{item.condition}, {where}: mean cosine{blocks}"
        tables.append(Table(frame=frame, caption=caption))
    return tuple(tables)


def variance_tables(result: AdjacencyResult) -> tuple[Table, ...]:
    """Return the variance at the positions drawn, a table per condition and site."""
    stride = variance_stride(result)
    groups: dict[tuple[str, str], dict[str, Any]] = {}
    for item in result.variance:
        group = groups.setdefault((item.condition, place(item.site)), {})
        group[f"layer {layer_name(item.layer)}"] = item.values[::stride]
    tables = []
    for (condition, site), columns in groups.items():
        frame = pd.DataFrame(columns)
        frame.insert(0, "position", np.arange(len(frame)) * stride)
        tables.append(Table(frame=frame, caption=f"{condition}, {site}: variance by position"))
    return tuple(tables)


def _whole(result: AdjacencyResult) -> dict[Where, dict[str, AdjacencyScore]]:
    found: dict[Where, dict[str, AdjacencyScore]] = {}
    for score in result.scores:
        if score.head is None:
            where = (score.condition, place(score.site), score.layer)
            found.setdefault(where, {})[score.feature] = score
    return found


def _row(result: AdjacencyResult, where: Where, pair: dict[str, AdjacencyScore]) -> dict[str, Any]:
    condition, site, layer = where
    row: dict[str, Any] = {"condition": condition, "site": site, "layer": layer_name(layer)}
    if "cosine" in pair:
        cosine = pair["cosine"]
        row |= {"cosine, rows": cosine.rows_mean, "cosine, triples": cosine.triples_mean}
        row["low"] = getattr(cosine, f"{result.average}_low")
        row["high"] = getattr(cosine, f"{result.average}_high")
        row["sd"] = getattr(cosine, f"{result.average}_sd")
    if "norm" in pair:
        row |= {"norm, rows": pair["norm"].rows_mean, "norm, triples": pair["norm"].triples_mean}
    return row


def _notes(result: AdjacencyResult) -> tuple[str, ...]:
    notes = []
    for score in result.scores:
        head = "" if score.head is None else f", head {score.head}"
        where = f"{score.condition}, {score.site}{head}, {score.feature}"
        if score.undefined is not None:
            notes.append(f"{where}: undefined, since {score.undefined.rstrip('.')}.")
        if score.note is not None:
            notes.append(f"{where}: {score.note.rstrip('.')}.")
        if score.left_out:
            notes.append(f"{where}: {score.left_out} zero vectors left out.")
    return _few(notes)


def _few(notes: list[str], *, limit: int = 12) -> tuple[str, ...]:
    if len(notes) <= limit:
        return tuple(notes)
    rest = len(notes) - limit
    return (*notes[:limit], f"{rest} more notes of this kind are in the JSON file.")
