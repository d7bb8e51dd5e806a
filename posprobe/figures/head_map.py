"""Maps of heads: a cell for each, layers downwards."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from posprobe.figures.description import Axis, Panel
from posprobe.figures.marks import Heatmap, Scale
from posprobe.figures.theme import AMOUNT_STOPS, CLASSES
from posprobe.figures.words import brief

Classes = tuple[tuple[str, ...], ...]


def class_panel(classes: Classes) -> Panel:
    """Describe the map of the classes.

    Args:
        classes: Class of each head, `[layer][head]`.
    """
    present = tuple(name for name in CLASSES if any(name in row for row in classes))
    scale = Scale(
        label="class",
        low=0,
        high=float(max(1, len(present) - 1)),
        stops=tuple(CLASSES[name][0] for name in present),
        classes=tuple(f"{CLASSES[name][1]} {name}" for name in present),
    )
    cells = Heatmap(
        values=np.array([[float(present.index(name)) for name in row] for row in classes]),
        scale=scale,
        label="class",
        text=tuple(tuple(CLASSES[name][1] for name in row) for row in classes),
        names=classes,
    )
    return _panel("class", cells)


def share_panel(values: Float[np.ndarray, "layer head"], *, title: str, label: str) -> Panel:
    """Describe the map of a share from 0 to 1.

    Args:
        values: The share of each head.
        title: What is shown.
        label: What a cell is called when pointed at.
    """
    cells = Heatmap(
        values=values,
        scale=Scale(label="share", low=0, high=1, stops=AMOUNT_STOPS),
        label=label,
        text=tuple(tuple(brief(value) for value in row) for row in values.tolist()),
    )
    return _panel(title, cells)


def map_height(layers: int) -> int:
    """Return the height of a map in pixels, so that cells stay legible."""
    return max(150, min(420, 60 + 26 * layers))


def index_axis(label: str, length: int, *, reverse: bool = False) -> Axis:
    """Return the axis of layers or heads, with a tick at each or at every second, third, ….

    Args:
        label: What is counted.
        length: How many.
        reverse: Whether 0 is at the far end.
    """
    numbers = range(0, length, 1 + (length - 1) // 16)
    return Axis(
        label=label,
        low=-0.5,
        high=length - 0.5,
        ticks=tuple(float(number) for number in numbers),
        tick_labels=tuple(str(number) for number in numbers),
        reversed=reverse,
    )


def counted(class_counts: dict[str, int], names: Sequence[str] = tuple(CLASSES)) -> str:
    """List the heads per class in words, without classes that have none.

    >>> counted({"structure": 3, "semantic": 0, "mixed": 1})
    '3 structure, 1 mixed'
    """
    found = ((name, class_counts.get(name, 0)) for name in names)
    return ", ".join(f"{count} {name}" for name, count in found if count)


def _panel(title: str, cells: Heatmap) -> Panel:
    layers, heads = cells.values.shape
    return Panel(
        title=title,
        marks=(cells,),
        x=index_axis("head", heads),
        y=index_axis("layer", layers, reverse=True),
    )
