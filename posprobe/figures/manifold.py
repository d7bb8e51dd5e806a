"""Figures of the `manifold` measure."""

import numpy as np

from posprobe.analysis.manifold import Manifold, ManifoldResult
from posprobe.figures.description import Axis, Figure, Panel
from posprobe.figures.manifold_curve import curve_figure
from posprobe.figures.manifold_names import named
from posprobe.figures.manifold_nulls import null_figures
from posprobe.figures.manifold_power import spectrum_figure, variance_figure
from posprobe.figures.manifold_runs import latest, runs
from posprobe.figures.manifold_selection import drawn, panel_columns, position_stride
from posprobe.figures.manifold_steps import step_figures
from posprobe.figures.marks import Line
from posprobe.figures.theme import SERIES
from posprobe.figures.thinning import thinning_note


def manifold_figures(result: ManifoldResult) -> tuple[Figure, ...]:
    """Describe the figures of a manifold result; manifolds without numbers are left out.

    Args:
        result: One or several manifolds, which are drawn beside each other. Of a training at
            several steps, only the last is, and figures of the steps are added.

    Returns:
        The curve, the steps of trainings, the nulls, the components by position, the variance
        and the spectrum; nothing if no manifold is defined.
    """
    items = named(result.manifolds)
    trainings = runs(items)
    ends = latest(items)
    defined = tuple(item for item in ends if item.undefined is None)
    forming = step_figures(trainings)
    if not defined:
        return forming
    shown = drawn(defined)
    last = " Of each training the last step is drawn." if trainings else ""
    selection = last + _selection(defined, shown)
    return (
        curve_figure(shown, selection + _undefined(ends)),
        *forming,
        *null_figures(defined, last),
        _components(shown, selection),
        variance_figure(defined, last),
        spectrum_figure(shown, selection),
    )


def _undefined(items: tuple[Manifold, ...]) -> str:
    lost = [item for item in items if item.undefined is not None]
    return "".join(f" {item.label} is undefined: {item.undefined}." for item in lost)


def _selection(defined: tuple[Manifold, ...], shown: tuple[Manifold, ...]) -> str:
    if len(shown) == len(defined):
        return ""
    return f" Drawn: {len(shown)} of {len(defined)}, evenly spaced; the data files have all."


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
