"""Figures of how a manifold's variance and power are spread."""

import numpy as np

from posprobe.analysis.manifold import Manifold
from posprobe.figures.description import Axis, Figure, Panel
from posprobe.figures.manifold_names import group_name
from posprobe.figures.manifold_selection import component_counts, panel_columns, spectrum_bins
from posprobe.figures.marks import Line, Mark, Rule, Scale, Scatter, Shape
from posprobe.figures.theme import POSITION_STOPS, SERIES
from posprobe.figures.words import percent

_NULL_SHAPES: dict[str, Shape] = {"gaussian": "square", "random walk": "triangle"}


def variance_figure(defined: tuple[Manifold, ...], chosen: str) -> Figure:
    """Describe the cumulative variance, a line per manifold.

    Args:
        defined: Manifolds that have numbers.
        chosen: What the caption says of those that are not drawn.
    """
    counts = component_counts(defined)
    widest = max(len(item.variance_ratio) for item in defined)
    sparse = "" if len(counts) == widest else " Beyond 64 components only some are drawn."
    groups = _groups(defined)
    return Figure(
        id="manifold-variance",
        title="Variance explained",
        caption="Share of the variance in the first components together. The open markers are "
        "what the first two hold in tables without structure: random numbers, and a random walk "
        "over positions, which is smooth by chance." + sparse + chosen,
        alt="Cumulative share of variance by number of components. "
        + " ".join(f"{item.label}: {item.n_95} components hold 95 %." for item in defined),
        panels=tuple(
            Panel(
                title=title,
                marks=(*_curves(items, counts), *_null_points(items)),
                x=Axis(label="components", log=widest > 20, low=1, high=float(max(2, widest))),
                y=Axis(label="share of variance", low=0, high=1.02),
            )
            for title, items in groups.items()
        ),
        columns=min(2, len(groups)),
        height=300 if len(groups) == 1 else 240,
    )


def _groups(defined: tuple[Manifold, ...]) -> dict[str, list[Manifold]]:
    if any(item.layer is None for item in defined):
        return {"": list(defined)}
    groups: dict[str, list[Manifold]] = {}
    for item in defined:
        groups.setdefault(group_name(item), []).append(item)
    return groups if len(groups) > 1 else {"": list(defined)}


def _curves(items: list[Manifold], counts: np.ndarray) -> list[Mark]:
    scale = None
    if len(items) > 1 and all(item.layer is not None for item in items):
        layers = [float(item.layer or 0) for item in items]
        scale = Scale(label="layer", low=min(layers), high=max(layers), stops=POSITION_STOPS)
    return [_cumulative(item, counts, index, scale) for index, item in enumerate(items)]


def _cumulative(item: Manifold, counts: np.ndarray, index: int, scale: Scale | None) -> Line:
    own = counts[counts <= len(item.variance_ratio)]
    role = SERIES[index % len(SERIES)] if scale is None else scale.role(float(item.layer or 0))
    return Line(
        x=own.astype(float),
        y=np.cumsum(item.variance_ratio)[own - 1],
        label=item.label,
        role=role,
        scale=scale,
        shape="circle" if len(item.variance_ratio) <= 24 else None,
    )


def _null_points(items: list[Manifold]) -> list[Mark]:
    by_shape = {(item.n_positions, item.n_dimensions): item for item in items}
    marks: list[Mark] = []
    for (rows, columns), item in list(by_shape.items())[:3]:
        for null, shape in _NULL_SHAPES.items():
            marks.append(
                Scatter(
                    x=np.array([2.0]),
                    y=np.array([item.nulls[null].top2]),
                    label=f"{null}, {rows} × {columns}",
                    role="muted",
                    shape=shape,
                    filled=False,
                    names=(f"mean of {item.nulls[null].draws} draws",),
                )
            )
    return marks


def spectrum_figure(shown: tuple[Manifold, ...], selection: str) -> Figure:
    """Describe the power by frequency, a panel per manifold.

    Args:
        shown: Manifolds that get a panel.
        selection: What the caption says of those that do not.
    """
    bins = spectrum_bins(shown)
    longest = max(item.spectrum.shape[1] for item in shown)
    drawn = "" if len(bins) == longest - 1 else " Drawn: bins 1 to 32, and above them a selection."
    return Figure(
        id="manifold-spectrum",
        title="Power by frequency",
        caption="DCT-II power of each component along the positions, each summing to 1. Bin k has "
        "k half-waves over the whole range. Smooth tables have their power left of the dashed "
        "line, in bins 1 to 4; shuffled rows would spread it evenly, along the dotted line."
        + drawn
        + selection,
        alt="Power of the first three components by DCT-II frequency. "
        + " ".join(f"{item.label}: {percent(item.low4_top2)} in bins 1 to 4." for item in shown),
        panels=tuple(_spectrum_panel(item, bins) for item in shown),
        columns=panel_columns(len(shown)),
        narrow=1 if len(shown) < 5 else 2,
        height=230 if len(shown) < 5 else 170,
    )


def _spectrum_panel(item: Manifold, bins: np.ndarray) -> Panel:
    own = bins[bins < item.spectrum.shape[1]]
    lines = tuple(
        Line(
            x=own.astype(float),
            y=item.spectrum[component, own],
            label=f"PC{component + 1}",
            role=SERIES[component],
            dash=("solid", "dash", "dot")[component],
            shape=("circle", "square", "diamond")[component] if len(own) <= 40 else None,
        )
        for component in range(min(3, len(item.spectrum)))
    )
    flat = Rule(value=1 / len(item.spectrum[0, 1:]), axis="y", label="flat", dash="dot")
    return Panel(
        title=item.label,
        marks=(*lines, Rule(value=4.5, label="bins 1 to 4 end"), flat),
        x=Axis(label="frequency bin k", log=True),
        y=Axis(label="share of power", low=0),
    )
