"""Curves over the distance between key and query, a line per head."""

import numpy as np
from jaxtyping import Float, Int

from posprobe.figures.description import Axis, Panel
from posprobe.figures.marks import Dash, Line
from posprobe.figures.theme import CLASSES

_DASHES: dict[str, Dash] = {"structure": "solid", "semantic": "dash", "relative": "dot"}


def offset_panel(
    offsets: Int[np.ndarray, " offset"],
    curves: Float[np.ndarray, "head offset"],
    *,
    classes: tuple[str, ...],
    title: str,
    label: str,
) -> Panel:
    """Describe the curves of a layer's heads, coloured by class.

    Args:
        offsets: key − query.
        curves: One curve per head.
        classes: Class of each head.
        title: Which layer.
        label: What the curves are of.
    """
    lines = tuple(
        Line(
            x=offsets.astype(float),
            y=curve,
            label=name,
            role=CLASSES[name][0] if name != "undefined" else "muted",
            dash=_DASHES.get(name, "solid"),
            name=f"head {head}, {name}",
        )
        for head, (name, curve) in enumerate(zip(classes, curves, strict=True))
    )
    return Panel(
        title=title, marks=lines, x=Axis(label="offset (key − query)"), y=Axis(label=label)
    )
