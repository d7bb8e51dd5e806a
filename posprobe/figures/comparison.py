"""Figures of what differs between two checkpoints."""

import numpy as np

from posprobe.analysis.comparison import ComparisonResult, Difference
from posprobe.figures.description import Axis, Figure, Panel
from posprobe.figures.ids import figure_id
from posprobe.figures.layer_axis import layer_axis
from posprobe.figures.marks import Heatmap, Line, Rule, Scale, Scatter, Shape
from posprobe.figures.theme import SERIES
from posprobe.figures.words import brief

PANELS = 9
"""Most panels of one figure; what is beyond them is in the tables."""

_SHAPES: tuple[Shape, ...] = ("circle", "square", "diamond", "triangle", "cross")
_DIVERGING = ("c2", "paper", "c1")

Group = tuple[Difference, ...]
Groups = dict[str, Group]


def comparison_figures(result: ComparisonResult) -> tuple[tuple[Figure, Group], ...]:
    """Describe the figures of a comparison, each with the differences that are its subject.

    Args:
        result: The differences.

    Returns:
        For each measure the differences of whole models, by layer, and by head.
    """
    found = []
    for measure in dict.fromkeys(item.measure for item in result.differences):
        own = [item for item in result.differences if item.measure == measure]
        kinds = {
            "whole": tuple(item for item in own if item.layer is None),
            "layers": tuple(item for item in own if item.layer is not None and item.head is None),
            "heads": tuple(item for item in own if item.head is not None),
        }
        for kind, items in kinds.items():
            if items:
                found.append((_figure(result, measure, kind, items), items))
    return tuple(found)


def _figure(result: ComparisonResult, measure: str, kind: str, items: Group) -> Figure:
    groups = _panels(items)
    drawn = dict(list(groups.items())[:PANELS])
    make = {"whole": _forest, "layers": _by_layer, "heads": _by_head}[kind]
    title = {"whole": measure, "layers": f"{measure} by layer", "heads": f"{measure} by head"}[kind]
    panels = tuple(make(name, group) for name, group in drawn.items())
    rows = max(len(group) for group in drawn.values())
    heights = {"whole": 60 + 26 * rows, "layers": 240, "heads": _map_height(items)}
    return Figure(
        id=figure_id("compare", measure, kind),
        title=f"Difference in {title}",
        caption=f"{result.b} minus {result.a}: above 0, {result.b} is higher. "
        + _caption(kind, items)
        + (f" Drawn: {PANELS} of {len(groups)} panels." if len(groups) > PANELS else ""),
        alt=_alt(result, title, items),
        panels=panels,
        columns=min(len(panels), 2 if kind == "whole" else 3),
        height=heights[kind],
    )


def _panels(items: Group) -> Groups:
    several = len({item.condition for item in items}) > 1
    groups: dict[str, list[Difference]] = {}
    for item in items:
        name = f"{item.quantity}, {item.condition}" if several else item.quantity
        # Each term has a map of its own.
        key = f"{name}, {item.place}" if item.head is not None else name
        groups.setdefault(key, []).append(item)
    return {name: tuple(group) for name, group in groups.items()}


def _caption(kind: str, items: Group) -> str:
    if kind == "heads":
        return "One cell is one head; layer 0 is at the top."
    if all(item.method == "none" for item in items):
        return "Nothing was sampled, so there are no intervals."
    return "Bars are 95 % intervals."


def _alt(result: ComparisonResult, title: str, items: Group) -> str:
    known = [item.difference for item in items if np.isfinite(item.difference)]
    words = f"Differences in {title} between {result.a} and {result.b}"
    if not known:
        return f"{words}, all undefined."
    return f"{words}, from {brief(min(known))} to {brief(max(known))}."


def _forest(title: str, items: Group) -> Panel:
    places = tuple(item.place or item.quantity for item in items)
    y = np.arange(float(len(items)))
    marks = (
        Rule(value=0.0, label="no difference", dash="dot"),
        Scatter(
            x=_column(items, "difference"),
            y=y,
            low=_column(items, "low"),
            high=_column(items, "high"),
            label="difference",
            names=places,
            interval="95 % interval",
        ),
    )
    return Panel(
        title=title,
        marks=marks,
        x=Axis(label="difference"),
        y=Axis(
            ticks=tuple(y.tolist()),
            tick_labels=places,
            low=-0.5,
            high=len(items) - 0.5,
            reversed=True,
        ),
    )


def _by_layer(title: str, items: Group) -> Panel:
    places = list(dict.fromkeys(item.place for item in items if item.layer != -1))
    places = places or list(dict.fromkeys(item.place for item in items))
    lines = []
    for index, place in enumerate(places):
        # The token embedding lies before every site.
        own = [item for item in items if item.place == place or item.layer == -1]
        own = sorted(own, key=lambda item: item.layer or 0)
        lines.append(_line(place, tuple(own), index))
    layers = {item.layer for item in items if item.layer is not None}
    rule = Rule(value=0.0, axis="y", label="no difference", dash="dot")
    return Panel(
        title=title, marks=(*lines, rule), x=layer_axis(layers), y=Axis(label="difference")
    )


def _line(place: str, items: Group, index: int) -> Line:
    return Line(
        x=np.array([float(item.layer or 0) for item in items]),
        y=_column(items, "difference"),
        low=_column(items, "low"),
        high=_column(items, "high"),
        label=place,
        role=SERIES[index % len(SERIES)],
        shape=_SHAPES[index % len(_SHAPES)],
    )


def _by_head(title: str, items: Group) -> Panel:
    layers = sorted({item.layer or 0 for item in items})
    heads = sorted({item.head or 0 for item in items})
    values = np.full((len(layers), len(heads)), np.nan)
    for item in items:
        values[layers.index(item.layer or 0), heads.index(item.head or 0)] = item.difference
    widest = float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else 1.0
    widest = widest or 1.0
    cells = Heatmap(
        values=values,
        scale=Scale(label="difference", low=-widest, high=widest, stops=_DIVERGING, keyed=False),
        label="difference",
        text=tuple(tuple(brief(value) for value in row) for row in values.tolist()),
    )
    return Panel(
        title=title,
        marks=(cells,),
        x=_numbers("head", heads, reverse=False),
        y=_numbers("layer", layers, reverse=True),
    )


def _numbers(label: str, values: list[int], *, reverse: bool) -> Axis:
    step = 1 + (len(values) - 1) // 16
    return Axis(
        label=label,
        low=-0.5,
        high=len(values) - 0.5,
        ticks=tuple(float(index) for index in range(0, len(values), step)),
        tick_labels=tuple(str(value) for value in values[::step]),
        reversed=reverse,
    )


def _map_height(items: Group) -> int:
    layers = len({item.layer for item in items})
    return max(150, min(420, 60 + 26 * layers))


def _column(items: Group, name: str) -> np.ndarray:
    return np.array([float(getattr(item, name)) for item in items])
