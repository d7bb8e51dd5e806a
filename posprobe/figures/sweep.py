"""Figures of a sweep: the score by layer and setting, small multiples where there are many."""

from collections.abc import Iterator

import numpy as np

from posprobe.analysis.sweep import SweepCell, SweepPoint, SweepResult, setting_words
from posprobe.figures.description import Axis, Figure, Panel
from posprobe.figures.ids import figure_id
from posprobe.figures.layer_axis import layer_axis
from posprobe.figures.marks import Line, Mark, Rule, Scatter, Shape
from posprobe.figures.theme import SERIES
from posprobe.figures.words import brief, upper_first

PANELS = 12
"""Most panels of one figure; what is beyond them is in the tables."""
LINES = 7
"""Most settings told apart in one panel."""

Group = tuple[tuple[SweepCell, SweepPoint], ...]
_SHAPES: tuple[Shape, ...] = ("circle", "square", "diamond", "triangle", "cross")
_CHANCE = {"adjacency score": (0.5, "nearness plays no part")}


def sweep_figures(result: SweepResult) -> Iterator[tuple[Figure, Group]]:
    """Describe the figures, each with the points it draws.

    Args:
        result: The cells.

    Yields:
        One figure for each measure, quantity and place.
    """
    groups: dict[tuple[str, str, str], list[tuple[SweepCell, SweepPoint]]] = {}
    for cell in result.cells:
        places: dict[str, dict[str, None]] = {}
        for point in cell.points:
            if point.layer != -1:
                places.setdefault(point.quantity, {})[point.place] = None
        for point in cell.points:
            known = places.get(point.quantity, {})
            # What has no place in the layers, as the token embedding, lies before all that has.
            before = point.layer == -1 and point.place not in known
            for place in known if before and known else [point.place]:
                groups.setdefault((cell.measure, point.quantity, place), []).append((cell, point))
    for (measure, quantity, place), group in groups.items():
        yield _figure(result, measure, quantity, place, tuple(group)), tuple(group)


def _figure(result: SweepResult, measure: str, quantity: str, place: str, group: Group) -> Figure:
    by_line = _line_axis(result, group)
    panels = _panels(result, group, by_line)
    drawn = dict(list(panels.items())[:PANELS])
    layered = all(point.layer is not None for _, point in group)
    if layered:
        axis = _value_axis(quantity, [point for _, point in group])
        made = tuple(_by_layer(title, items, by_line, axis) for title, items in drawn.items())
    else:
        made = tuple(_by_setting(title, items, by_line) for title, items in drawn.items())
    known = [point.value for _, point in group if np.isfinite(point.value)]
    span = f"from {brief(min(known))} to {brief(max(known))}" if known else "all undefined"
    caption = "Bars are 95 % intervals." if any(np.isfinite(p.low) for _, p in group) else ""
    if len(panels) > PANELS:
        caption += f" Drawn: {PANELS} of {len(panels)} panels."
    return Figure(
        id=figure_id("sweep", measure, quantity, place),
        title=f"{upper_first(quantity)}, {place}",
        caption=f"{result.title}. {caption}".strip(),
        alt=f"{quantity} of {place} over {len(result.cells)} cells, {span}.",
        panels=made,
        columns=min(3, len(drawn)),
        height=240 if layered else 60 + 26 * max(map(len, drawn.values())),
    )


def _line_axis(result: SweepResult, group: Group) -> str | None:
    """Choose the axis whose values are the lines of a panel: the last that has few."""
    counts = {axis: len({repr(cell.at.get(axis)) for cell, _ in group}) for axis in result.varying}
    few = [axis for axis, count in counts.items() if 1 < count <= LINES]
    return few[-1] if few else None


def _panels(result: SweepResult, group: Group, by_line: str | None) -> dict[str, Group]:
    # Conditions are the lines where no axis is.
    several = by_line is not None and len({point.condition for _, point in group}) > 1
    found: dict[str, list[tuple[SweepCell, SweepPoint]]] = {}
    for cell, point in group:
        axes = [a for a in result.varying if a != by_line and a in cell.at]
        words = [setting_words({axis: cell.at[axis]}) for axis in axes]
        title = "\n".join([*words, *([point.condition] if several else [])])
        found.setdefault(title, []).append((cell, point))
    return {title: tuple(items) for title, items in found.items()}


def _value_axis(quantity: str, points: list[SweepPoint]) -> Axis:
    """Return one axis for all panels, so that their heights can be compared."""
    if quantity in _CHANCE:
        return Axis(label=quantity, low=0, high=1.03)
    ends = np.array([(point.value, point.low, point.high) for point in points])
    known = ends[np.isfinite(ends)]
    if not len(known):
        return Axis(label=quantity)
    room = 0.04 * (known.max() - known.min()) or 0.04 * abs(known.max()) or 1.0
    return Axis(label=quantity, low=float(known.min() - room), high=float(known.max() + room))


def _by_layer(title: str, items: Group, by_line: str | None, y: Axis) -> Panel:
    lines: dict[str, list[SweepPoint]] = {}
    for cell, point in items:
        lines.setdefault(_label(cell, by_line, point), []).append(point)
    marks: list[Mark] = [_line(name, pts, i) for i, (name, pts) in enumerate(lines.items())]
    quantity = items[0][1].quantity
    if quantity in _CHANCE:
        value, label = _CHANCE[quantity]
        marks.append(Rule(value=value, axis="y", label=label, dash="dot"))
    layers = [point.layer for _, point in items if point.layer is not None]
    return Panel(title=title, marks=tuple(marks), x=layer_axis(layers), y=y)


def _line(name: str, points: list[SweepPoint], index: int) -> Line:
    points = sorted(points, key=lambda point: point.layer or 0)
    return Line(
        x=np.array([float(point.layer or 0) for point in points]),
        y=np.array([point.value for point in points]),
        low=np.array([point.low for point in points]),
        high=np.array([point.high for point in points]),
        label=name,
        role=SERIES[index % len(SERIES)],
        shape=_SHAPES[index % len(_SHAPES)],
    )


def _by_setting(title: str, items: Group, by_line: str | None) -> Panel:
    names = tuple(_label(cell, by_line, point) for cell, point in items)
    y = np.arange(float(len(items)))
    quantity = items[0][1].quantity
    points = Scatter(
        x=np.array([point.value for _, point in items]), y=y, label=quantity, names=names
    )
    axis = Axis(
        ticks=tuple(y.tolist()), tick_labels=names, low=-0.5, high=len(items) - 0.5, reversed=True
    )
    return Panel(title=title, marks=(points,), x=Axis(label=quantity), y=axis)


def _label(cell: SweepCell, by_line: str | None, point: SweepPoint) -> str:
    if by_line is None:
        return point.condition
    return setting_words({by_line: cell.at.get(by_line, "–")})
