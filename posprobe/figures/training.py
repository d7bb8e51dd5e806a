"""The figure of how checkpoints were trained."""

import numpy as np

from posprobe.figures.description import Axis, Figure, Panel
from posprobe.figures.marks import Line, Mark
from posprobe.figures.theme import SERIES
from posprobe.figures.training_curve import TrainingCurve
from posprobe.figures.words import decimal

_WORDS = {"exact_match": "exact match", "characters": "right characters"}


def training_figure(curves: tuple[TrainingCurve, ...]) -> Figure:
    """Describe the losses and the held-out numbers by step, a line per checkpoint.

    Args:
        curves: At least one.
    """
    names = dict.fromkeys(name for curve in curves for name in curve.held_out if name != "loss")
    tested = any("loss" in curve.held_out for curve in curves)
    panels = (_loss_panel(curves), *(_held_out_panel(curves, name) for name in names))
    return Figure(
        id="training",
        title="Training",
        caption="By the checkpoints' own records. Thin: loss on the training batches, the mean "
        "since the last point. "
        + ("With markers: the same on what is held out. " if tested else "")
        + ("Further panels: other numbers on what is held out." if names else ""),
        alt="Loss by training step. " + " ".join(_sentence(curve) for curve in curves),
        panels=panels,
        columns=min(3, len(panels)),
        height=260,
    )


def number_name(name: str) -> str:
    """Return what a number found on what is held out is called in figures and tables.

    >>> number_name("exact_match"), number_name("loss")
    ('exact match', 'loss')
    """
    return _WORDS.get(name, name.replace("_", " "))


def _sentence(curve: TrainingCurve) -> str:
    words = f"{curve.name}: {decimal(curve.loss[0])} at first, {decimal(curve.loss[-1])} at step "
    words += f"{curve.steps[-1]:,.0f}"
    ends = [
        f"held-out {number_name(key)} {decimal(found[-1])}" for key, found in curve.held_out.items()
    ]
    return "; ".join((words, *ends)) + "."


def _loss_panel(curves: tuple[TrainingCurve, ...]) -> Panel:
    marks: list[Mark] = []
    for index, curve in enumerate(curves):
        role = SERIES[index % len(SERIES)]
        # The key shows the first mark of a name: the one with markers, where there is one.
        if "loss" in curve.held_out:
            marks.append(_held_out_line(curve, "loss", role))
        marks.append(
            Line(
                x=curve.steps,
                y=curve.loss,
                label=curve.name,
                role=role,
                name=f"{curve.name}, training",
                thin=True,
            )
        )
    return Panel(title="loss", marks=tuple(marks), x=_STEPS, y=Axis(label="nats"))


def _held_out_panel(curves: tuple[TrainingCurve, ...], name: str) -> Panel:
    marks = tuple(
        _held_out_line(curve, name, SERIES[index % len(SERIES)])
        for index, curve in enumerate(curves)
        if name in curve.held_out
    )
    return Panel(title=f"held-out {number_name(name)}", marks=marks, x=_STEPS, y=_value_axis(marks))


def _held_out_line(curve: TrainingCurve, name: str, role: str) -> Line:
    return Line(
        x=curve.held_out_steps,
        y=curve.held_out[name],
        label=curve.name,
        role=role,
        shape="circle",
        name=f"{curve.name}, held out",
    )


def _value_axis(marks: tuple[Line, ...]) -> Axis:
    values = np.concatenate([mark.y for mark in marks])
    finite = values[np.isfinite(values)]
    shares = finite.size > 0 and finite.min() >= 0 and finite.max() <= 1
    return Axis(low=0, high=1.02) if shares else Axis()


_STEPS = Axis(label="training step", low=0)
