"""Figures of the `holmes` measure."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from posprobe.analysis.holmes import FIELDS, OTHER, HolmesResult, PhenomenonScore
from posprobe.figures.description import Axis, Figure, Panel
from posprobe.figures.finite import finite_mean
from posprobe.figures.holmes_points import Examined, Rows, examined, points
from posprobe.figures.ids import figure_id
from posprobe.figures.marks import Scatter
from posprobe.figures.words import decimal, upper_first

ALL = "all"
"""The field that stands for all phenomena."""

# With more checkpoints their points come closer instead of the rows growing.
_BESIDE = 4
_READING = (
    "A field is the mean over its phenomena; all is the mean over every phenomenon. Right is "
    "better: macro-F1, or Pearson r where the labels are numbers, on test samples. Bars are one "
    "standard deviation over seeds of the probe. Crosses: with shuffled labels, which is what "
    "chance gives."
)
_HOLLOW = " Hollow: the same probe on the same architecture with random weights."


def holmes_figures(result: HolmesResult) -> tuple[Figure, ...]:
    """Describe the figures of a Holmes result: all fields, and the phenomena of each.

    Args:
        result: Scores by checkpoint, place, field and phenomenon.

    Returns:
        Nothing where no data set has a score.
    """
    fields = present(result)
    if not fields:
        return ()
    return (_fields(result), *(_phenomena(result, field) for field in fields))


def present(result: HolmesResult) -> tuple[str, ...]:
    """Return the fields that have a score, in the benchmark's order."""
    scored = {item.field for item in result.phenomena if item.undefined is None}
    return tuple(field for field in (*FIELDS, OTHER) if field in scored)


def ranked(result: HolmesResult, field: str) -> dict[str, list[PhenomenonScore]]:
    """Return the phenomena of a field that have a score, the easiest first.

    Args:
        result: Scores by checkpoint, place, field and phenomenon.
        field: One of those present.
    """
    groups: dict[str, list[PhenomenonScore]] = {}
    for item in result.phenomena:
        if item.field == field and item.undefined is None:
            groups.setdefault(item.phenomenon, []).append(item)
    means = {
        name: finite_mean(np.array([item.score for item in items]))
        for name, items in groups.items()
    }
    return {name: groups[name] for name in sorted(groups, key=lambda name: -means[name])}


def field_id(field: str) -> str:
    """Return the id of the figure of a field.

    >>> field_id("syntax")
    'holmes-syntax'
    """
    return figure_id("holmes", field)


def _fields(result: HolmesResult) -> Figure:
    names = (*present(result), ALL)
    rows = {name: [item for item in result.fields if item.field == name] for name in names}
    whole = "; ".join(
        f"{item.checkpoint}, {item.condition}, {item.place}: {decimal(item.score)}"
        for item in rows[ALL]
    )
    return Figure(
        id="holmes-fields",
        title="By field",
        caption=_READING + (_HOLLOW if any(m.control for m in examined(result)) else ""),
        alt=f"Mean score by field and checkpoint. Over all phenomena: {whole}.",
        **_layout(result, rows),
    )


def _phenomena(result: HolmesResult, field: str) -> Figure:
    rows = ranked(result, field)
    ends = [f"{name} {decimal(items[0].score)}" for name, items in rows.items()]
    return Figure(
        id=field_id(field),
        title=upper_first(field),
        caption="The phenomena of the field, the easiest at the top; each is the mean over its "
        "data sets. Marks as above.",
        alt=f"Score by phenomenon and checkpoint. {result.checkpoints[0]}: {'; '.join(ends)}.",
        **_layout(result, rows),
    )


def _layout(result: HolmesResult, rows: Rows) -> dict[str, Any]:
    models = examined(result)
    several = len(result.places) > 1
    panels = tuple(
        _panel(place if several else "", _at(rows, place), models) for place in result.places
    )
    beside = len({model.checkpoint for model in models})
    height = 30 + len(rows) * (12 + 8 * min(beside, _BESIDE))
    return {"panels": panels, "columns": min(3, len(panels)), "height": height}


def _at(rows: Rows, place: str) -> Rows:
    return {name: [i for i in items if i.place == place] for name, items in rows.items()}


def _panel(title: str, rows: Rows, models: Sequence[Examined]) -> Panel:
    marks = points(rows, models)
    return Panel(
        title=title,
        marks=marks,
        x=Axis(label="score", low=_low(marks), high=1.02),
        y=Axis(
            low=-0.6,
            high=len(rows) - 0.4,
            ticks=tuple(float(index) for index in range(len(rows))),
            tick_labels=tuple(rows),
            reversed=True,
        ),
    )


def _low(marks: Sequence[Scatter]) -> float:
    # A correlation can be negative.
    values = np.concatenate([mark.x for mark in marks])
    return float(values[np.isfinite(values)].min(initial=0.0)) - 0.02
