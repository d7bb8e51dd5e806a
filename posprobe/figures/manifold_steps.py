"""Figures of how a manifold forms in training, in numbers."""

import numpy as np

from posprobe.analysis.manifold import Manifold
from posprobe.figures.description import Axis, Figure, Panel
from posprobe.figures.manifold_forming import forming_figure
from posprobe.figures.manifold_names import group_name
from posprobe.figures.manifold_nulls import MEASURES
from posprobe.figures.manifold_runs import Run
from posprobe.figures.marks import Dash, Line, Mark, Rule
from posprobe.figures.theme import SERIES
from posprobe.figures.words import decimal, percent

FOLLOWED = {
    "top2": MEASURES["top2"],
    "low4_all": MEASURES["low4_all"],
    "participation_ratio": "participation ratio",
}
"""The numbers that are followed through a training, and what they are called."""

_NULLS: dict[str, Dash] = {"random walk": "dash", "gaussian": "dot"}
_SHAPES = 3


def step_figures(trainings: tuple[Run, ...]) -> tuple[Figure, ...]:
    """Describe how manifolds form: by step, by held-out loss, and as curves.

    Args:
        trainings: What there are several steps of; none gives no figures.

    Returns:
        The second figure is left out where losses are not known, the third where no step has
        numbers.
    """
    if not trainings:
        return ()
    shown = _shown(trainings)
    chosen = "" if len(shown) == len(trainings) else " Drawn: the last layer of each stream."
    learned = tuple(run for run in shown if len(_losses(run)) > 1)
    return (
        _by_step(shown, chosen),
        *((_by_loss(learned, chosen),) if learned else ()),
        *forming_figure(shown, chosen),
    )


def _shown(trainings: tuple[Run, ...]) -> tuple[Run, ...]:
    if len(trainings) <= len(SERIES):
        return trainings
    # Layers come in order, so that the last of each stream stays.
    return tuple({group_name(run.steps[-1]): run for run in trainings}.values())


def _losses(run: Run) -> list[float]:
    return [item.loss for item in run.steps if item.loss is not None]


def _by_step(shown: tuple[Run, ...], chosen: str) -> Figure:
    return Figure(
        id="manifold-steps",
        title="By training step",
        caption="Three numbers at each step that a training kept, its end included. Horizontal "
        "lines: the means of random walks and of random numbers (gaussian) of the table's shape; "
        "a table that was drawn at random begins near the second." + chosen,
        alt="Three numbers by training step. " + " ".join(_sentence(run) for run in shown),
        panels=tuple(_panel(shown, name, "step") for name in FOLLOWED),
        columns=3,
        height=250,
    )


def _sentence(run: Run) -> str:
    first, last = run.steps[0], run.steps[-1]
    return (
        f"{run.name}: {percent(first.top2)} of the variance in two components at step "
        f"{first.step:,}, {percent(last.top2)} at step {last.step:,}."
    )


def _by_loss(learned: tuple[Run, ...], chosen: str) -> Figure:
    compare = ""
    if len(learned) > 1:
        compare = (
            " A table can be smooth before its model has learned much, so models are compared "
            "where they have learned as much as each other: one above the other. All have come "
            f"down to {decimal(_common(learned))}, the vertical line; left of it they can be "
            "compared."
        )
    return Figure(
        id="manifold-loss",
        title="By held-out loss",
        caption="The same numbers against the loss on held-out documents; learning goes to the "
        "right." + compare + chosen,
        alt="Three numbers by held-out loss. "
        + " ".join(
            f"{run.name}: from {decimal(_losses(run)[0])} to {decimal(_losses(run)[-1])}."
            for run in learned
        ),
        panels=tuple(_panel(learned, name, "loss") for name in FOLLOWED),
        columns=3,
        height=250,
    )


def _common(learned: tuple[Run, ...]) -> float:
    return max(min(_losses(run)) for run in learned)


def _panel(shown: tuple[Run, ...], name: str, by: str) -> Panel:
    marks: list[Mark] = [_line(run, index, name, by) for index, run in enumerate(shown)]
    if by == "loss" and len(shown) > 1:
        line = Rule(value=_common(shown), label="lowest loss that all reached", role="ink")
        marks.append(line)
    if name in MEASURES:
        marks += _nulls(shown, name)
    return Panel(
        title=FOLLOWED[name],
        marks=tuple(marks),
        x=_step_axis(shown) if by == "step" else Axis(label="held-out loss (nats)", reversed=True),
        y=Axis(low=0, high=1.02 if name in MEASURES else _top(shown, name)),
    )


def _top(shown: tuple[Run, ...], name: str) -> float | None:
    values = np.array([getattr(item, name) for run in shown for item in run.steps], dtype=float)
    finite = values[np.isfinite(values)]
    return 1.05 * float(finite.max()) if finite.size else None


def _line(run: Run, index: int, name: str, by: str) -> Line:
    items = [item for item in run.steps if getattr(item, by) is not None]
    return Line(
        x=np.array([float(getattr(item, by)) for item in items]),
        y=np.array([float(getattr(item, name)) for item in items]),
        label=run.name,
        role=SERIES[index % len(SERIES)],
        shape="circle",
    )


def _step_axis(shown: tuple[Run, ...]) -> Axis:
    steps = [item.step or 0 for run in shown for item in run.steps]
    # Steps are often kept closer together at the beginning, where most happens.
    wide = min(steps) > 0 and max(steps) >= 10 * min(steps)
    return Axis(label="training step", log=wide)


def _nulls(shown: tuple[Run, ...], name: str) -> list[Mark]:
    by_shape: dict[tuple[int, int], list[tuple[str, Manifold]]] = {}
    for index, run in enumerate(shown):
        defined = [item for item in run.steps if item.undefined is None]
        for item in defined[-1:]:
            shape = item.n_positions, item.n_dimensions
            by_shape.setdefault(shape, []).append((SERIES[index % len(SERIES)], item))
    marks: list[Mark] = []
    for (rows, columns), owners in list(by_shape.items())[:_SHAPES]:
        role, item = owners[0]
        marks += [
            Rule(
                value=getattr(item.nulls[null], name),
                axis="y",
                label=f"{null}, {rows} × {columns}",
                role=role if len(owners) == 1 and len(by_shape) > 1 else "muted",
                dash=dash,
            )
            for null, dash in _NULLS.items()
        ]
    return marks
