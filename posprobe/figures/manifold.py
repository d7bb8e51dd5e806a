"""Figures of the `manifold` measure."""

from dataclasses import replace

import numpy as np

from posprobe.analysis.manifold import Manifold, ManifoldResult
from posprobe.figures.description import Axis, Figure, Panel
from posprobe.figures.manifold_names import named
from posprobe.figures.manifold_nulls import null_figures
from posprobe.figures.manifold_power import spectrum_figure, variance_figure
from posprobe.figures.manifold_selection import drawn, panel_columns, position_stride
from posprobe.figures.marks import Line, Scale, Scatter
from posprobe.figures.theme import POSITION_STOPS, SERIES
from posprobe.figures.thinning import thinning_note
from posprobe.figures.words import percent


def manifold_figures(result: ManifoldResult) -> tuple[Figure, ...]:
    """Describe the figures of a manifold result; manifolds without numbers are left out.

    Args:
        result: One or several manifolds, which are drawn beside each other.

    Returns:
        The curve, the components by position, the variance, the spectrum and the nulls;
        nothing if no manifold is defined.
    """
    items = named(result.manifolds)
    defined = tuple(item for item in items if item.undefined is None)
    if not defined:
        return ()
    shown = drawn(defined)
    selection = _selection(defined, shown)
    return (
        _curve(shown, _left_out(items, defined, shown)),
        *null_figures(defined),
        _components(shown, selection),
        variance_figure(defined),
        spectrum_figure(shown, selection),
    )


def _left_out(
    items: tuple[Manifold, ...], defined: tuple[Manifold, ...], shown: tuple[Manifold, ...]
) -> str:
    words = _selection(defined, shown)
    for item in items:
        if item.undefined is not None:
            words += f" {item.label} is undefined: {item.undefined}."
    return words


def _selection(defined: tuple[Manifold, ...], shown: tuple[Manifold, ...]) -> str:
    if len(shown) == len(defined):
        return ""
    return f" Drawn: {len(shown)} of {len(defined)}, evenly spaced; the data files have all."


def _curve(shown: tuple[Manifold, ...], left_out: str) -> Figure:
    stride = position_stride(shown)
    lengths = sorted({item.n_positions for item in shown})
    scale = Scale(label="position", low=0, high=float(lengths[-1] - 1), stops=POSITION_STOPS)
    if len(lengths) > 1:
        # Of different lengths, each spans the whole scale.
        scale = replace(scale, label="position, as a share of the length", high=1.0)
    return Figure(
        id="manifold-curve",
        title="The curve through the positions",
        caption="Each point is one position, on the first two principal components; the "
        "thin line joins neighbours. A smooth arc means that near positions have near vectors; "
        "a cloud means that they do not. Both axes have the same unit."
        + thinning_note(stride)
        + left_out,
        alt=f"Positions 0 to {lengths[-1] - 1} on the first two principal components. "
        + " ".join(f"{item.label}: {percent(item.top2)} of the variance." for item in shown),
        panels=tuple(_curve_panel(item, scale, stride) for item in shown),
        columns=panel_columns(len(shown)),
        narrow=1 if len(shown) < 5 else 2,
        height=340 if len(shown) < 5 else 220,
    )


def _curve_panel(item: Manifold, scale: Scale, stride: int) -> Panel:
    positions = np.arange(0, item.n_positions, stride)
    points = Scatter(
        x=_score(item, 0)[positions],
        y=_score(item, 1)[positions],
        label=item.label,
        values=positions * (scale.high / max(1, item.n_positions - 1)),
        scale=scale,
        path=True,
        names=tuple(f"position {position}" for position in positions),
    )
    return Panel(
        title=item.label,
        marks=(points,),
        x=Axis(label=_component_label(item, 0)),
        y=Axis(label=_component_label(item, 1)),
        equal=True,
    )


def _score(item: Manifold, component: int) -> np.ndarray:
    # A table of one dimension has one component; its curve is a line.
    if component < item.scores.shape[1]:
        return item.scores[:, component]
    return np.zeros(item.n_positions)


def _component_label(item: Manifold, component: int) -> str:
    if component < len(item.variance_ratio):
        return f"PC{component + 1} ({percent(float(item.variance_ratio[component]))})"
    return f"PC{component + 1}"


def _components(shown: tuple[Manifold, ...], selection: str) -> Figure:
    stride = position_stride(shown)
    return Figure(
        id="manifold-components",
        title="Components by position",
        caption="The coordinates of the curve above, one line per component. Slow waves are the "
        "low frequencies that the spectrum counts." + thinning_note(stride) + selection,
        alt="Scores of the first three principal components against position.",
        panels=tuple(_component_panel(item, stride) for item in shown),
        columns=panel_columns(len(shown)),
        narrow=1 if len(shown) < 5 else 2,
        height=230 if len(shown) < 5 else 170,
    )


def _component_panel(item: Manifold, stride: int) -> Panel:
    positions = np.arange(0, item.n_positions, stride)
    marks = tuple(
        Line(
            x=positions.astype(float),
            y=item.scores[positions, component],
            label=f"PC{component + 1}",
            role=SERIES[component],
            dash=("solid", "dash", "dot")[component],
        )
        for component in range(item.scores.shape[1])
    )
    return Panel(title=item.label, marks=marks, x=Axis(label="position"), y=Axis(label="score"))
