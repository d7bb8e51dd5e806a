"""Marks drawn on Matplotlib axes."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, ListedColormap
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from posprobe.figures.description import Axis, Panel
from posprobe.figures.grid import Cell, shorten
from posprobe.figures.marks import Bars, Heatmap, Line, Rule, Scale, Scatter
from posprobe.figures.plotly_traces import TEXT_LIMIT, extent, text_role, text_size
from posprobe.figures.theme import Theme

MARKERS = {"circle": "o", "square": "s", "diamond": "D", "triangle": "^", "cross": "x"}
"""Matplotlib's names of the marker shapes."""

DASHES = {"solid": "-", "dash": "--", "dot": ":"}
"""Matplotlib's names of the strokes."""

_MANY = 150
_ON_PICTURE = {"ink": "#1b2025", "paper": "#fefefe"}


def draw_panel(ax: Axes, cell: Cell, theme: Theme) -> None:
    """Draw one panel of a figure.

    Args:
        ax: Where.
        cell: The panel, and which of its labels are written.
        theme: Colours.
    """
    panel = cell.panel
    for mark in panel.marks:
        match mark:
            case Line():
                _line(ax, mark, theme)
            case Scatter():
                _scatter(ax, mark, theme)
            case Heatmap():
                _heatmap(ax, mark, theme)
            case Bars():
                _bars(ax, mark, theme)
            case Rule():
                _rule(ax, mark, panel, theme)
    _frame(ax, cell, theme)
    _x_axis(ax, cell, theme)
    _y_axis(ax, cell, theme)
    if panel.equal:
        heat = any(isinstance(mark, Heatmap) for mark in panel.marks)
        ax.set_aspect("equal", adjustable="box" if heat else "datalim", anchor="NW")


def colormap(scale: Scale, theme: Theme) -> ListedColormap | LinearSegmentedColormap:
    """Return a scale as a Matplotlib colour map."""
    colours = [theme[stop] for stop in scale.stops]
    if scale.classes:
        return ListedColormap(colours)
    return LinearSegmentedColormap.from_list(scale.label, colours)


def limits(scale: Scale) -> tuple[float, float]:
    """Return the numbers at the ends of a scale; those of classes lie half a step out."""
    margin = 0.5 if scale.classes else 0.0
    return scale.low - margin, max(scale.high, scale.low + 1e-9) + margin


def _line(ax: Axes, mark: Line, theme: Theme) -> None:
    colour = theme[mark.role]
    ax.plot(
        mark.x,
        mark.y,
        color=colour,
        linestyle=DASHES[mark.dash],
        linewidth=0.6 if mark.thin else 1.2,
        marker=MARKERS[mark.shape] if mark.shape else "",
        markersize=3.5,
        label=mark.label,
    )
    if mark.low is not None and mark.high is not None:
        ends = np.vstack([mark.y - mark.low, mark.high - mark.y])
        known = np.isfinite(ends).all(axis=0)
        ax.errorbar(
            mark.x[known],
            mark.y[known],
            yerr=np.maximum(ends[:, known], 0),
            fmt="none",
            ecolor=colour,
            elinewidth=0.9,
            capsize=2,
        )


def _scatter(ax: Axes, mark: Scatter, theme: Theme) -> None:
    if mark.path:
        ax.plot(mark.x, mark.y, color=theme["muted"], linewidth=0.4, zorder=1)
    if mark.low is not None and mark.high is not None:
        ends = np.maximum(np.vstack([mark.x - mark.low, mark.high - mark.x]), 0)
        known = np.isfinite(ends).all(axis=0)
        at = mark.x[known], mark.y[known]
        ax.errorbar(*at, xerr=ends[:, known], fmt="none", ecolor=theme[mark.role], elinewidth=0.9)
    shape: dict[str, Any] = {"marker": MARKERS[mark.shape], "s": 16, "linewidths": 0.9}
    if mark.values is not None and mark.scale is not None:
        low, high = limits(mark.scale)
        shape |= {"c": mark.values, "cmap": colormap(mark.scale, theme), "vmin": low, "vmax": high}
        shape |= {"s": 9, "linewidths": 0, "rasterized": len(mark.x) > 40}
    elif mark.filled or mark.shape == "cross":
        shape["color"] = theme[mark.role]
    else:
        shape |= {"facecolors": "none", "edgecolors": theme[mark.role]}
    if len(mark.x) > _MANY:
        shape["rasterized"] = True
    ax.scatter(mark.x, mark.y, zorder=3, label=mark.label, **shape)


def _heatmap(ax: Axes, mark: Heatmap, theme: Theme) -> None:
    low, high = limits(mark.scale)
    ax.imshow(
        mark.values,
        cmap=colormap(mark.scale, theme),
        vmin=low,
        vmax=high,
        aspect="auto",
        interpolation="nearest",
        origin="lower",
    )
    if not mark.text or max(mark.values.shape) > TEXT_LIMIT:
        return
    for (row, column), value in np.ndenumerate(mark.values):
        ax.text(
            column,
            row,
            mark.text[row][column],
            ha="center",
            va="center",
            fontsize=text_size(mark) * 0.68,
            # Maps are pictures and keep their colours on a dark page, so their text does too.
            color=_ON_PICTURE[text_role(mark, value)],
        )


def _bars(ax: Axes, mark: Bars, theme: Theme) -> None:
    ax.bar(
        mark.edges[:-1],
        mark.heights,
        width=np.diff(mark.edges),
        align="edge",
        color=theme[mark.role],
        edgecolor=theme["paper"],
        linewidth=0.6,
        label=mark.label,
    )


def _rule(ax: Axes, mark: Rule, panel: Panel, theme: Theme) -> None:
    style: dict[str, Any] = {"color": theme[mark.role], "linewidth": 0.9}
    style |= {"linestyle": DASHES[mark.dash], "label": mark.label}
    match mark.axis:
        case "x":
            ax.axvline(mark.value, **style)
        case "y":
            ax.axhline(mark.value, **style)
        case "diagonal":
            ends = extent(panel)
            ax.plot(ends, ends, **style)


def _frame(ax: Axes, cell: Cell, theme: Theme) -> None:
    panel = cell.panel
    ax.set_facecolor("none")
    if panel.title:
        limit = int((cell.right - cell.left + 8) / 6.4)
        lines = [shorten(line, limit=limit) for line in panel.title.splitlines()]
        ax.set_title("\n".join(lines), color=theme["ink"])
    ax.spines[:].set_visible(False)
    ax.tick_params(which="both", colors=theme["muted"])
    cells = any(isinstance(mark, Heatmap) for mark in panel.marks)
    if not cells:
        ax.grid(visible=True, color=theme["grid"], linewidth=0.6)
        ax.set_axisbelow(True)


def _x_axis(ax: Axes, cell: Cell, theme: Theme) -> None:
    axis = cell.panel.x
    if axis.hidden:
        ax.set_xticks([])
        return
    if axis.log:
        ax.set_xscale("log")
        _log_ticks(ax.xaxis)
    if axis.ticks is not None and axis.tick_labels is not None:
        ax.set_xticks(axis.ticks, [shorten(label) for label in axis.tick_labels])
    _ends(ax.xaxis, ax.set_xlim, axis)
    if cell.x_title:
        ax.set_xlabel(axis.label, color=theme["muted"])


def _y_axis(ax: Axes, cell: Cell, theme: Theme) -> None:
    axis = cell.panel.y
    if axis.hidden:
        ax.set_yticks([])
    if axis.log:
        ax.set_yscale("log")
        _log_ticks(ax.yaxis)
    if axis.ticks is not None and axis.tick_labels is not None:
        labels = [shorten(label) for label in axis.tick_labels]
        ax.set_yticks(axis.ticks, labels if cell.y_ticks else [""] * len(labels))
    _ends(ax.yaxis, ax.set_ylim, axis)
    if cell.y_title and not axis.hidden:
        ax.set_ylabel(axis.label, color=theme["muted"])


def _log_ticks(axis: Any) -> None:
    axis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def _ends(drawn: Any, set_limits: Any, axis: Axis) -> None:
    low, high = (axis.high, axis.low) if axis.reversed else (axis.low, axis.high)
    if low is not None or high is not None:
        set_limits(low, high)
    elif axis.reversed:
        drawn.set_inverted(True)
