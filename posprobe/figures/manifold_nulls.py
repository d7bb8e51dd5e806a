"""Figures that set a manifold's numbers beside its nulls."""

from collections.abc import Iterable

import numpy as np

from posprobe.analysis.manifold import NULLS, Manifold
from posprobe.figures.description import Axis, Figure, Panel
from posprobe.figures.manifold_names import group_name
from posprobe.figures.marks import Line, Mark, Scatter, Shape
from posprobe.figures.theme import SERIES

MEASURES = {
    "top2": "variance in PC1–2",
    "low4_top2": "power in bins 1–4, PC1–2",
    "low4_all": "power in bins 1–4, all PCs",
}
"""The three numbers that have nulls, and what they are called in figures and tables."""

_SHAPES: dict[str, Shape] = {"gaussian": "square", "random walk": "triangle", "shuffled": "cross"}


def null_figures(defined: tuple[Manifold, ...], chosen: str) -> tuple[Figure, ...]:
    """Describe the comparison with the nulls: tables as points, layers as lines.

    Args:
        defined: Manifolds that have numbers.
        chosen: What the captions say of those that are not drawn.
    """
    groups: dict[str, list[Manifold]] = {}
    for item in defined:
        if item.layer is not None:
            groups.setdefault(group_name(item), []).append(item)
    layered = {name: items for name, items in groups.items() if len(items) > 1}
    taken = {id(item) for items in layered.values() for item in items}
    single = [item for item in defined if id(item) not in taken]
    figures: list[Figure] = []
    if single:
        figures.append(_points(single, chosen))
    if layered:
        figures.append(_layers(layered, chosen))
    return tuple(figures)


def _points(items: list[Manifold], chosen: str) -> Figure:
    return Figure(
        id="manifold-nulls",
        title="Against tables without structure",
        caption="Filled: this table. Open: the mean of random tables of the same shape, with one "
        "standard deviation. A smooth table must beat the random walk, which is smooth by "
        "chance. Shuffling the rows keeps the variance and destroys the smoothness." + chosen,
        alt="Three numbers of each table beside those of random tables. "
        + " ".join(_sentence(item) for item in items),
        panels=tuple(_point_panel(items, name) for name in MEASURES),
        columns=3,
        height=max(130, 70 + 34 * len(items)),
    )


def _sentence(item: Manifold) -> str:
    walk = item.nulls["random walk"]
    return f"{item.label}: {item.top2:.3f} of the variance in two components, walk {walk.top2:.3f}."


def _point_panel(items: list[Manifold], name: str) -> Panel:
    rows = np.arange(len(items), dtype=float)
    marks: list[Mark] = [_null_marks(items, rows, name, null) for null in NULLS]
    marks.append(
        Scatter(
            x=_values(items, name),
            y=rows,
            label="this table",
            role="c1",
            names=tuple(item.label for item in items),
        )
    )
    return Panel(
        title=MEASURES[name],
        marks=tuple(marks),
        x=Axis(low=-0.02, high=1.02),
        y=Axis(
            low=-0.6,
            high=len(items) - 0.4,
            ticks=tuple(rows.tolist()),
            tick_labels=tuple(item.label for item in items),
            reversed=True,
        ),
    )


def _null_marks(items: list[Manifold], rows: np.ndarray, name: str, null: str) -> Scatter:
    values = np.array([getattr(item.nulls[null], name) for item in items], dtype=float)
    spread = np.array([getattr(item.nulls[null], f"{name}_sd") for item in items], dtype=float)
    return Scatter(
        x=values,
        y=rows,
        label=null,
        role="muted",
        shape=_SHAPES[null],
        filled=False,
        low=values - spread,
        high=values + spread,
        names=tuple(item.label for item in items),
    )


def _values(items: Iterable[Manifold], name: str) -> np.ndarray:
    return np.array([getattr(item, name) for item in items], dtype=float)


def _layers(groups: dict[str, list[Manifold]], chosen: str) -> Figure:
    return Figure(
        id="manifold-layers",
        title="By layer, beside the random walk",
        caption="Solid: the position means of this layer. Dashed, in the same colour: the mean of "
        "random walks of the same shape, with one standard deviation." + chosen,
        alt="Three numbers by layer, each beside that of random walks.",
        panels=tuple(_layer_panel(groups, name) for name in MEASURES),
        columns=3,
        height=250,
    )


def _layer_panel(groups: dict[str, list[Manifold]], name: str) -> Panel:
    marks: list[Mark] = []
    for index, (group, items) in enumerate(groups.items()):
        layers = np.array([float(item.layer or 0) for item in items])
        role = SERIES[index % len(SERIES)]
        walk = np.array([getattr(item.nulls["random walk"], name) for item in items], dtype=float)
        spread = np.array(
            [getattr(item.nulls["random walk"], f"{name}_sd") for item in items], dtype=float
        )
        marks.append(Line(x=layers, y=_values(items, name), label=group, role=role, shape="circle"))
        marks.append(
            Line(
                x=layers,
                y=walk,
                label=f"walk for {group}",
                role=role,
                dash="dash",
                low=walk - spread,
                high=walk + spread,
                interval="± 1 standard deviation",
            )
        )
    return Panel(
        title=MEASURES[name],
        marks=tuple(marks),
        x=_layer_axis(groups),
        y=Axis(low=0, high=1.02),
    )


def _layer_axis(groups: dict[str, list[Manifold]]) -> Axis:
    layers = sorted({item.layer or 0 for items in groups.values() for item in items})
    ticks = layers[:: 1 + (len(layers) - 1) // 9]
    return Axis(
        label="layer",
        ticks=tuple(float(layer) for layer in ticks),
        tick_labels=tuple("emb." if layer == -1 else str(layer) for layer in ticks),
    )
