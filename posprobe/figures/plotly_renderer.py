"""Figures drawn by Plotly, for pages and notebooks where one can point at a mark."""

from math import log10
from typing import Any

import plotly.graph_objects as go

from posprobe.figures.description import Axis, Figure, Panel
from posprobe.figures.grid import Cell, grid, shorten
from posprobe.figures.marks import Heatmap, Rule, Scale
from posprobe.figures.plotly_traces import colorscale, extent, log_ticks, safe, traces
from posprobe.figures.theme import LIGHT, Theme

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', sans-serif"
"""Fonts that systems bring along."""


def draw(figure: Figure, *, theme: Theme = LIGHT, width: int = 900) -> go.Figure:
    """Draw a figure for a notebook, with its own key.

    Args:
        figure: What to draw.
        theme: Colours; a figure does not follow the page it stands on.
        width: Width in pixels.
    """
    spec = plotly_spec(figure, theme=theme, width=width)
    _add_keys(spec, figure, theme)
    spec["layout"] |= {"width": width, "title": {"text": safe(figure.title), "x": 0, "y": 0.98}}
    return go.Figure(spec)


def plotly_spec(
    figure: Figure, *, theme: Theme, width: int, columns: int | None = None
) -> dict[str, Any]:
    """Return `data` and `layout` for Plotly as plain values, without a key.

    Args:
        figure: What to draw.
        theme: Colours.
        width: Width in pixels that the space between panels is reckoned for.
        columns: Panels beside each other; None takes the figure's own number.
    """
    cells, height = grid(figure, columns=columns or figure.columns, width=width)
    data: list[dict[str, Any]] = []
    layout = _base_layout(theme, height)
    for index, cell in enumerate(cells):
        suffix = "" if index == 0 else str(index + 1)
        for trace in traces(cell.panel, theme):
            data.append({**trace, "xaxis": f"x{suffix}", "yaxis": f"y{suffix}"})
        layout[f"xaxis{suffix}"] = _x_axis(cell, suffix, width)
        layout[f"yaxis{suffix}"] = _y_axis(cell, suffix, height)
        layout["annotations"].append(_panel_title(cell, width, height))
        layout["shapes"] += _rules(cell, theme, suffix)
    # Enough for a page to keep labels at their width when the figure is narrower.
    layout["meta"] = {"width": width, "columns": columns or figure.columns}
    return {"data": data, "layout": layout}


def _base_layout(theme: Theme, height: int) -> dict[str, Any]:
    return {
        "height": height,
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0, "autoexpand": False},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 11.5, "color": theme["muted"]},
        "hoverlabel": {
            "bgcolor": theme["paper"],
            "bordercolor": theme["muted"],
            "font": {"family": FONT, "size": 12, "color": theme["ink"]},
            "align": "left",
        },
        "hovermode": "closest",
        "showlegend": False,
        "bargap": 0,
        "dragmode": False,
        "annotations": [],
        "shapes": [],
        "template": {"layout": _defaults(theme)},
    }


def _defaults(theme: Theme) -> dict[str, Any]:
    axis = {
        "gridcolor": theme["grid"],
        "linecolor": theme["grid"],
        "zeroline": False,
        "ticks": "",
        "tickfont": {"size": 11},
        "nticks": 7,
        "exponentformat": "e",
        "minexponent": 4,
        "ticklabelstandoff": 3,
        "title": {"standoff": 6, "font": {"size": 11.5}},
    }
    title = {"xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom"}
    title |= {"align": "left", "yshift": 3, "showarrow": False}
    return {
        "xaxis": {**axis, "tickangle": 0},
        "yaxis": axis,
        "annotationdefaults": {**title, "font": {"size": 11.5, "color": theme["ink"]}},
    }


def _axis(axis: Axis, reach: tuple[float, float]) -> dict[str, Any]:
    shown: dict[str, Any] = {"visible": False} if axis.hidden else {}
    if axis.log:
        ticks = log_ticks(*reach)
        shown |= {"type": "log", "tickmode": "array", "tickvals": ticks}
        shown["ticktext"] = [f"{tick:g}" for tick in ticks]
    if axis.ticks is not None and axis.tick_labels is not None:
        labels = [safe(shorten(label)) for label in axis.tick_labels]
        shown |= {"tickmode": "array", "tickvals": list(axis.ticks), "ticktext": labels}
    return shown | _limits(axis)


def _limits(axis: Axis) -> dict[str, Any]:
    if axis.low is None and axis.high is None:
        # Without "extended" small numbers would stay in front.
        return {"autorange": "reversed"} if axis.reversed else {}
    ends = [axis.low, axis.high]
    if axis.log:
        ends = [None if end is None else log10(end) for end in ends]
    if axis.reversed:
        ends.reverse()
    return {"range": ends}


def _x_axis(cell: Cell, suffix: str, width: int) -> dict[str, Any]:
    axis = _axis(cell.panel.x, extent(cell.panel, "x"))
    axis |= {"domain": [cell.left / width, cell.right / width], "anchor": f"y{suffix}"}
    if cell.x_title:
        axis["title"] = {"text": safe(cell.panel.x.label)}
    if _is_map(cell.panel):
        axis["showgrid"] = False
    if _square(cell.panel):
        axis |= {"constrain": "domain", "constraintoward": "left"}
    return axis


def _y_axis(cell: Cell, suffix: str, height: int) -> dict[str, Any]:
    axis = _axis(cell.panel.y, extent(cell.panel, "y"))
    axis |= {
        "domain": [max(0.0, 1 - cell.bottom / height), min(1.0, 1 - cell.top / height)],
        "anchor": f"x{suffix}",
    }
    if cell.y_title and cell.panel.y.label:
        axis["title"] = {"text": safe(cell.panel.y.label)}
    if not cell.y_ticks:
        axis["showticklabels"] = False
    if _is_map(cell.panel):
        axis["showgrid"] = False
    if cell.panel.equal:
        axis |= {"scaleanchor": f"x{suffix}"}
        if _square(cell.panel):
            axis |= {"constrain": "domain", "constraintoward": "top"}
    return axis


def _is_map(panel: Panel) -> bool:
    return any(isinstance(mark, Heatmap) for mark in panel.marks)


def _square(panel: Panel) -> bool:
    return panel.equal and _is_map(panel)


def _panel_title(cell: Cell, width: int, height: int) -> dict[str, Any]:
    place = {"x": cell.left / width, "y": 1 - cell.top / height}
    return {"text": safe(cell.panel.title), **place}


def _rules(cell: Cell, theme: Theme, suffix: str) -> list[dict[str, Any]]:
    shapes = []
    for mark in cell.panel.marks:
        if not isinstance(mark, Rule) or mark.axis == "diagonal":
            continue
        across = {
            "x": (f"x{suffix}", f"y{suffix} domain"),
            "y": (f"x{suffix} domain", f"y{suffix}"),
        }
        ends = {"x": (mark.value, mark.value, 0, 1), "y": (0, 1, mark.value, mark.value)}
        xref, yref = across[mark.axis]
        x0, x1, y0, y1 = ends[mark.axis]
        line = {"color": theme[mark.role], "width": 1.2, "dash": mark.dash}
        shapes.append(
            {"type": "line", "xref": xref, "yref": yref, "x0": x0, "x1": x1, "y0": y0, "y1": y1}
            | {"line": line, "layer": "above", "name": safe(mark.label)}
        )
    return shapes


def _add_keys(spec: dict[str, Any], figure: Figure, theme: Theme) -> None:
    labels = {key.label for key in figure.legend()}
    letters = sum(len(label) + 8 for label in labels)
    for mark in spec["data"] + spec["layout"]["shapes"]:
        group = mark.get("legendgroup", mark.get("name"))
        mark["showlegend"] = group in labels
        labels.discard(group)
    top = 42 + 22 * -(-letters // 120)
    room = max((130 if scale.classes else 80 for scale in figure.scales()), default=10)
    spec["layout"]["height"] += top
    spec["layout"]["margin"] |= {"t": top, "r": room}
    spec["layout"]["showlegend"] = True
    spec["layout"]["legend"] = {"orientation": "h", "x": 0, "y": 1, "yref": "container"}
    spec["layout"]["legend"] |= {"yanchor": "top", "y": 1 - 34 / spec["layout"]["height"]}
    for index, scale in enumerate(figure.scales()):
        spec["data"].append(_colour_bar(scale, theme, index, len(figure.scales())))


def _colour_bar(scale: Scale, theme: Theme, index: int, count: int) -> dict[str, Any]:
    bar: dict[str, Any] = {"title": {"text": safe(scale.label)}, "thickness": 10}
    bar |= {"len": 1 / count, "y": 1 - index / count, "yanchor": "top"}
    margin = 0.0
    if scale.classes:
        bar |= {"tickvals": list(range(len(scale.classes))), "ticktext": list(scale.classes)}
        margin = 0.5
    # An invisible point carries the colour bar, whatever the marks are.
    marker = {"color": [scale.low], "colorscale": colorscale(scale, theme), "showscale": True}
    marker |= {"cmin": scale.low - margin, "cmax": scale.high + margin, "colorbar": bar}
    return {"type": "scatter", "x": [None], "y": [None], "mode": "markers", "marker": marker} | {
        "showlegend": False,
        "hoverinfo": "skip",
    }
