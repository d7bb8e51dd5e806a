"""The figure of how a manifold forms in training, as curves."""

from dataclasses import replace

import numpy as np

from posprobe.analysis.manifold import Manifold
from posprobe.figures.description import Axis, Figure, Panel
from posprobe.figures.manifold_curve import curve_points, position_scale
from posprobe.figures.manifold_runs import Run
from posprobe.figures.manifold_selection import position_stride
from posprobe.figures.marks import Scale
from posprobe.figures.thinning import thinning_note
from posprobe.figures.words import decimal, percent

_BESIDE = 6
_PANELS = 24


def forming_figure(shown: tuple[Run, ...], chosen: str) -> tuple[Figure, ...]:
    """Describe the curve at several steps, a row of panels per training.

    Args:
        shown: The trainings to draw.
        chosen: What the caption says of those that are not.

    Returns:
        The figure, or nothing if no step has numbers.
    """
    defined = {
        run.name: tuple(item for item in run.steps if item.undefined is None) for run in shown
    }
    rows = {name: steps for name, steps in defined.items() if steps}
    if not rows:
        return ()
    beside = min(_BESIDE, max(2, _PANELS // len(rows)), *map(len, rows.values()))
    picked = [(name, item) for name, steps in rows.items() for item in _spread(steps, beside)]
    items = tuple(item for _, item in picked)
    stride, scale = position_stride(items), position_scale(items)
    most = max(map(len, rows.values()))
    some = "" if most == beside else f" Drawn: {beside} steps of up to {most}, evenly chosen."
    return (
        Figure(
            id="manifold-forming",
            title="How the curve forms",
            caption="The positions on the first two components of that step, each panel at its "
            "own scale, mirrored where that makes it agree with the last. The percentage is the "
            "variance that the two hold." + thinning_note(stride) + some + chosen,
            alt="The curve through the positions at several steps of training. "
            + " ".join(
                f"{name}, step {item.step:,}: {percent(item.top2)} in two components."
                for name, item in picked
            ),
            panels=tuple(
                _panel(item, name if len(rows) > 1 else "", scale, stride) for name, item in picked
            ),
            columns=beside,
            narrow=3 if beside % 3 == 0 else 2,
            height=150,
        ),
    )


def _spread(steps: tuple[Manifold, ...], count: int) -> tuple[Manifold, ...]:
    picked = np.linspace(len(steps) - 1, 0, count).round().astype(int)[::-1]
    return tuple(_mirrored(steps[index], steps[-1]) for index in picked)


def _mirrored(item: Manifold, end: Manifold) -> Manifold:
    """Turn components over that run against those of the last step; their sign is free."""
    if item.scores.shape != end.scores.shape:
        return item
    against = (item.scores * end.scores).sum(axis=0) < 0
    return replace(item, scores=np.where(against, -1.0, 1.0) * item.scores)


def _panel(item: Manifold, name: str, scale: Scale, stride: int) -> Panel:
    learned = "" if item.loss is None else f", loss {decimal(item.loss)}"
    lines = (name, f"step {item.step:,}", percent(item.top2) + learned)
    return Panel(
        title="\n".join(line for line in lines if line),
        marks=(curve_points(item, scale, stride),),
        x=Axis(hidden=True),
        y=Axis(hidden=True),
        equal=True,
    )
