"""The marks a figure is made of: numbers and what they mean, nothing drawn."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float

Dash = Literal["solid", "dash", "dot"]
Shape = Literal["circle", "square", "diamond", "triangle", "cross"]


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How a number becomes a colour.

    Attributes:
        label: What the colour says.
        low: Number at the first stop; smaller ones get its colour.
        high: Number at the last stop; larger ones get its colour.
        stops: Colour roles, evenly spaced.
        classes: One name per stop, if the numbers are indices of classes.
        keyed: Whether the scale is explained beside the figure.
    """

    label: str
    low: float
    high: float
    stops: tuple[str, ...]
    classes: tuple[str, ...] = ()
    keyed: bool = True

    @property
    def diverging(self) -> bool:
        """Whether the middle of the scale is the page's own colour, and both ends are strong."""
        return self.stops[len(self.stops) // 2] == "paper"

    def role(self, value: float) -> str:
        """Return the stop nearest to a number."""
        span = self.high - self.low
        part = (value - self.low) / span if span > 0 else 0.0
        last = len(self.stops) - 1
        return self.stops[min(last, max(0, round(part * last)))]


@dataclass(frozen=True, kw_only=True)
class Line:
    """Points joined in order.

    Attributes:
        x: Where each point lies.
        y: Its value; NaN leaves a gap.
        label: The name in the key; marks of one label share an entry.
        role: Colour role.
        dash: Kind of stroke.
        shape: Marker on each point, if any.
        low: Lower ends of the intervals.
        high: Upper ends.
        interval: What an interval is, such as `95 % interval`.
        steps: Draw flat steps between the points, as an outline of bars.
        name: What to call this one line when pointed at, if not `label`.
        scale: The scale that `role` is a stop of, for lines told apart by a number.
        thin: Whether the stroke is fine, for noisy numbers beside others.
    """

    x: Float[np.ndarray, " sample"]
    y: Float[np.ndarray, " sample"]
    label: str
    role: str = "c1"
    dash: Dash = "solid"
    shape: Shape | None = None
    low: Float[np.ndarray, " sample"] | None = None
    high: Float[np.ndarray, " sample"] | None = None
    interval: str = "95 % interval"
    steps: bool = False
    name: str = ""
    scale: Scale | None = None
    thin: bool = False


@dataclass(frozen=True, kw_only=True)
class Scatter:
    """Points that are not joined.

    Attributes:
        x: Where each point lies.
        y: Its height.
        label: The name in the key.
        role: Colour role, where no `values` are given.
        shape: Marker.
        filled: Whether the marker is filled.
        values: Numbers that colour the points by `scale`.
        scale: The scale of `values`.
        path: Whether a thin line joins the points in order.
        names: What to call each point when pointed at.
        low: Left ends of horizontal intervals.
        high: Right ends.
        interval: What an interval is, such as `± 1 standard deviation`.
    """

    x: Float[np.ndarray, " sample"]
    y: Float[np.ndarray, " sample"]
    label: str
    role: str = "c1"
    shape: Shape = "circle"
    filled: bool = True
    values: Float[np.ndarray, " sample"] | None = None
    scale: Scale | None = None
    path: bool = False
    names: tuple[str, ...] = ()
    low: Float[np.ndarray, " sample"] | None = None
    high: Float[np.ndarray, " sample"] | None = None
    interval: str = "± 1 standard deviation"


@dataclass(frozen=True, kw_only=True)
class Heatmap:
    """A matrix as coloured cells; row 0 is drawn where the y axis has 0.

    Attributes:
        values: The numbers; NaN is an empty cell.
        scale: How they become colours.
        label: What a cell is called when pointed at.
        text: What is written into each cell.
        names: What each cell is when pointed at, beside its number.
    """

    values: Float[np.ndarray, "row column"]
    scale: Scale
    label: str
    text: tuple[tuple[str, ...], ...] = ()
    names: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Bars:
    """A histogram.

    Attributes:
        edges: Borders of the bins.
        heights: One height per bin.
        label: The name in the key.
        role: Colour role.
    """

    edges: Float[np.ndarray, " edge"]
    heights: Float[np.ndarray, " bin"]
    label: str
    role: str = "c1"


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A straight line across the panel.

    Attributes:
        value: Where it crosses its axis.
        axis: The axis it crosses: `x` makes a vertical line; `diagonal` joins equal values.
        label: The name in the key.
        role: Colour role.
        dash: Kind of stroke.
    """

    value: float
    label: str
    axis: Literal["x", "y", "diagonal"] = "x"
    role: str = "muted"
    dash: Dash = "dash"


Mark = Line | Scatter | Heatmap | Bars | Rule
