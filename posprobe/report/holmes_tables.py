"""Tables of the `holmes` measure."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from posprobe.analysis.holmes import (
    Comparison,
    DatasetScore,
    FieldScore,
    HolmesResult,
    PhenomenonScore,
)
from posprobe.figures.holmes import ALL, present, ranked
from posprobe.figures.holmes_points import Rows, examined, seed_sd
from posprobe.figures.probes_words import SCORES
from posprobe.figures.words import upper_first
from posprobe.report.table import Table

_SMALL = 0.001
_NAMED = 4


def overview(result: HolmesResult) -> pd.DataFrame:
    """Return a row per checkpoint, condition and place, and a column per field."""
    rows: dict[tuple[str, ...], dict[str, Any]] = {}
    for item in result.fields:
        row = rows.setdefault(
            (item.place, item.checkpoint, item.condition),
            {"checkpoint": item.checkpoint, "condition": item.condition, "place": item.place}
            # NA is "not measured"; NaN would be "undefined".
            | dict.fromkeys((ALL, *present(result)), pd.NA),
        )
        row[item.field] = item.score
        if item.field == ALL:
            row |= {"shuffled": item.shuffled, "phenomena": item.phenomena}
    frame = pd.DataFrame(list(rows.values()))
    return frame if len(result.places) > 1 else frame.drop(columns="place", errors="ignore")


def comparison_table(result: HolmesResult) -> Table:
    """Return on how many phenomena each of two is better."""
    # Pairs of checkpoints come first, then each beside its own random weights.
    pairs = sorted(result.comparisons, key=_beside_itself)
    frame = pd.DataFrame([_comparison_row(item) for item in pairs])
    same = [] if len(result.places) > 1 else ["place"]
    same += [] if any(item.ties for item in pairs) else ["ties"]
    return Table(
        frame=frame.drop(columns=same),
        caption="On how many phenomena each of two scores higher, and a sign test",
        heads=2 if "place" in same else 3,
    )


def field_table(result: HolmesResult) -> Table:
    """Return the mean of each field, a column per checkpoint."""
    names = (*present(result), ALL)
    rows = {name: [item for item in result.fields if item.field == name] for name in names}
    return Table(
        frame=_wide(result, rows, "field"),
        caption="Means by field, their standard deviations over seeds, and with shuffled labels",
        heads=1 if len(result.places) == 1 else 2,
    )


def phenomenon_table(result: HolmesResult, field: str) -> Table:
    """Return the score of each phenomenon of a field, a column per checkpoint.

    Args:
        result: Scores by checkpoint, place, field and phenomenon.
        field: One of those present.
    """
    return Table(
        frame=_wide(result, ranked(result, field), "phenomenon"),
        caption=f"{upper_first(field)}: means by phenomenon, their standard deviations over "
        "seeds, and with shuffled labels",
        heads=1 if len(result.places) == 1 else 2,
    )


def dataset_table(result: HolmesResult, field: str) -> Table:
    """Return the score of each data set of a field and what it was found on.

    Args:
        result: Scores by checkpoint, place, field and phenomenon.
        field: One of those present.
    """
    scores = [item for item in result.scores if item.field == field]
    frame = pd.DataFrame([_dataset_row(item) for item in scores])
    same = ("place",) if len(result.places) == 1 else ()
    empty = [name for name in frame if all(value is pd.NA for value in frame[name])]
    return Table(
        frame=frame.drop(columns=[*same, *empty]),
        caption=f"{upper_first(field)}: each data set",
        heads=3,
        notes=(*_undefined(scores), *_remarks(scores)),
    )


def p_words(value: float) -> str:
    """Return a p-value as one writes it.

    >>> p_words(0.00002), p_words(0.0412), p_words(float("nan"))
    ('< 0.001', '0.041', 'undefined')
    """
    if value != value:
        return "undefined"
    return f"< {_SMALL}" if value < _SMALL else f"{value:.3f}"


def _comparison_row(item: Comparison) -> dict[str, Any]:
    own = f"{item.first}, "
    return {
        "place": item.place,
        "first": item.first,
        "second": item.second.removeprefix(own) if _beside_itself(item) else item.second,
        "first higher": item.better,
        "second higher": item.worse,
        "ties": item.ties,
        "p": p_words(item.p_value),
    }


def _beside_itself(item: Comparison) -> bool:
    return item.second.startswith(f"{item.first}, ")


def _wide(result: HolmesResult, rows: Rows, name: str) -> pd.DataFrame:
    found = []
    for place in result.places:
        for row, items in rows.items():
            here = [item for item in items if item.place == place]
            if here:
                places = {"place": place} if len(result.places) > 1 else {}
                found.append({name: row} | places | _columns(result, here))
    names = dict.fromkeys(name for row in found for name in row)
    return pd.DataFrame([{name: row.get(name, pd.NA) for name in names} for row in found])


def _columns(result: HolmesResult, items: Iterable[FieldScore | PhenomenonScore]) -> dict[str, Any]:
    own = {(item.checkpoint, item.condition): item for item in items}
    found = {
        m.name: own[m.checkpoint, m.condition]
        for m in examined(result)
        if (m.checkpoint, m.condition) in own
    }
    row: dict[str, Any] = {"data sets": max(item.datasets for item in own.values())}
    row |= {name: item.score for name, item in found.items()}
    if len(result.seeds) > 1:
        row |= {f"{name}, sd": seed_sd(item.by_seed) for name, item in found.items()}
    return row | {f"{name}, shuffled": item.shuffled for name, item in found.items()}


def _dataset_row(item: DatasetScore) -> dict[str, Any]:
    code = item.codelength
    return {
        "phenomenon": item.phenomenon,
        "data set": item.dataset,
        "checkpoint": item.checkpoint,
        "condition": item.condition,
        "place": item.place,
        "metric": SCORES[item.metric],
        "score": item.score,
        "sd": item.sd,
        "shuffled": item.shuffled,
        "selectivity": item.selectivity,
        "bits": pd.NA if code is None else code.bits,
        "compression": pd.NA if code is None else code.compression,
        "train": item.n_train,
        "dev": item.n_dev,
        "test": item.n_test,
        "left out": item.left_out,
        "truncated": item.truncated,
    }


def _undefined(scores: Iterable[DatasetScore]) -> tuple[str, ...]:
    return _told({s.dataset: s.undefined for s in scores if s.undefined}, "undefined, since ")


def _remarks(scores: Iterable[DatasetScore]) -> tuple[str, ...]:
    return _told({s.dataset: s.note for s in scores if s.note}, "")


def _told(words: dict[str, str], begin: str) -> tuple[str, ...]:
    # What is said of many data sets is said once.
    groups: dict[str, list[str]] = {}
    for dataset, said in words.items():
        groups.setdefault(said.rstrip("."), []).append(dataset)
    return tuple(f"{_list(names)}: {begin}{said}." for said, names in groups.items())


def _list(names: list[str]) -> str:
    rest = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + rest
