"""The figure of the curve that positions draw on the first two components."""

from dataclasses import replace

import numpy as np

from posprobe.analysis.manifold import Manifold
from posprobe.figures.description import Axis, Figure, Panel
from posprobe.figures.manifold_selection import panel_columns, position_stride
from posprobe.figures.marks import Scale, Scatter
from posprobe.figures.theme import POSITION_STOPS
from posprobe.figures.thinning import thinning_note
from posprobe.figures.words import decimal, percent


def curve_figure(shown: tuple[Manifold, ...], left_out: str) -> Figure:
    """Describe the curve, a panel per manifold.

    Args:
        shown: Manifolds that get a panel.
        left_out: What the caption says of those that do not.
    """
    stride = position_stride(shown)
    scale = position_scale(shown)
    longest = max(item.n_positions for item in shown)
    return Figure(
        id="manifold-curve",
        title="The curve through the positions",
        caption="Each point is one position, on the first two principal components; the "
        "thin line joins neighbours. A smooth arc means that near positions have near vectors; "
        "a cloud means that they do not. Both axes have the same unit."
        + thinning_note(stride)
        + left_out,
        alt=f"Positions 0 to {longest - 1} on the first two principal components. "
        + " ".join(f"{item.label}: {percent(item.top2)} of the variance." for item in shown),
        panels=tuple(_panel(item, scale, stride) for item in shown),
        columns=panel_columns(len(shown)),
        narrow=1 if len(shown) < 5 else 2,
        height=340 if len(shown) < 5 else 220,
    )


def position_scale(shown: tuple[Manifold, ...]) -> Scale:
    """Return the colours of the positions, for manifolds of one or of several lengths.

    Args:
        shown: Manifolds that share the scale.
    """
    lengths = sorted({item.n_positions for item in shown})
    scale = Scale(label="position", low=0, high=float(lengths[-1] - 1), stops=POSITION_STOPS)
    if len(lengths) > 1:
        # Of different lengths, each spans the whole scale.
        return replace(scale, label="position, as a share of the length", high=1.0)
    return scale


def curve_points(item: Manifold, scale: Scale, stride: int) -> Scatter:
    """Return the positions of one manifold as coloured points on a thin line.

    Args:
        item: A manifold with numbers.
        scale: Colours of the positions.
        stride: Step between the positions drawn.
    """
    positions = np.arange(0, item.n_positions, stride)
    return Scatter(
        x=_score(item, 0)[positions],
        y=_score(item, 1)[positions],
        label=item.label,
        values=positions * (scale.high / max(1, item.n_positions - 1)),
        scale=scale,
        path=True,
        names=tuple(f"position {position}" for position in positions),
    )


def _panel(item: Manifold, scale: Scale, stride: int) -> Panel:
    # How much a model has learned decides what its table may be compared with.
    learned = "" if item.loss is None else f"\nheld-out loss {decimal(item.loss)}"
    return Panel(
        title=item.label + learned,
        marks=(curve_points(item, scale, stride),),
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
