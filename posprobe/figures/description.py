"""A figure as data: what is drawn, what it is called and what it shows in words."""

from collections.abc import Iterator
from dataclasses import dataclass

from posprobe.figures.marks import Bars, Heatmap, Line, Mark, Rule, Scale, Scatter

Key = Line | Scatter | Bars | Rule
"""A mark that a key can explain by showing one like it."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """One axis of a panel.

    Attributes:
        label: Quantity and unit.
        low: First number shown; None leaves it to the renderer.
        high: Last number shown; None leaves it to the renderer.
        log: Whether the axis is logarithmic.
        ticks: Where the ticks are; None leaves it to the renderer.
        tick_labels: What is written at them.
        reversed: Whether small numbers are at the far end, as in a matrix.
        hidden: Whether ticks and label are left out.
    """

    label: str = ""
    low: float | None = None
    high: float | None = None
    log: bool = False
    ticks: tuple[float, ...] | None = None
    tick_labels: tuple[str, ...] | None = None
    reversed: bool = False
    hidden: bool = False


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One pair of axes with its marks, drawn in order.

    Attributes:
        marks: What is drawn.
        x: The horizontal axis.
        y: The vertical axis.
        title: Short title above it.
        equal: Whether one unit is equally long on both axes.
    """

    marks: tuple[Mark, ...]
    x: Axis
    y: Axis
    title: str = ""
    equal: bool = False


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure that no renderer has drawn yet.

    Attributes:
        id: Stable name, used as anchor and as file name.
        title: What it is, in a few words.
        caption: How to read it, in a sentence or three.
        alt: What it shows, for those who cannot see it.
        panels: Its panels, row by row.
        columns: Panels beside each other where there is room.
        narrow: Panels beside each other on a narrow screen.
        height: Height of a panel in pixels.
    """

    id: str
    title: str
    caption: str
    alt: str
    panels: tuple[Panel, ...]
    columns: int = 1
    narrow: int = 1
    height: int = 280

    def legend(self) -> tuple[Key, ...]:
        """Return the first mark of each label, in order: what a key has to explain."""
        found: dict[str, Key] = {}
        for mark in self.marks():
            if not isinstance(mark, Heatmap) and mark.label and _scale(mark) is None:
                found.setdefault(mark.label, mark)
        return tuple(found.values())

    def scales(self) -> tuple[Scale, ...]:
        """Return the colour scales that need explaining, in order."""
        scales = (_scale(mark) for mark in self.marks())
        return tuple(dict.fromkeys(scale for scale in scales if scale and scale.keyed))

    def marks(self) -> Iterator[Mark]:
        """Go through the marks of all panels."""
        for panel in self.panels:
            yield from panel.marks


def _scale(mark: Mark) -> Scale | None:
    return None if isinstance(mark, Bars | Rule) else mark.scale
