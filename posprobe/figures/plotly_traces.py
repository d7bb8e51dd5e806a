"""Marks as Plotly traces."""

import html
import math
from typing import Any, Literal

import numpy as np

from posprobe.figures.description import Panel
from posprobe.figures.marks import Bars, Heatmap, Line, Mark, Rule, Scale, Scatter
from posprobe.figures.theme import Theme

_SYMBOLS = {
    "circle": "circle",
    "square": "square",
    "diamond": "diamond",
    "triangle": "triangle-up",
    "cross": "x-thin",
}

TEXT_LIMIT = 24
"""Most rows or columns of a map whose cells have room for text."""


def traces(panel: Panel, theme: Theme) -> list[dict[str, Any]]:
    """Return the traces of a panel, without the axes they belong to.

    Args:
        panel: What is drawn. Rules that cross one axis are shapes, not traces.
        theme: Colours.
    """
    found = []
    for mark in panel.marks:
        match mark:
            case Line():
                found.append(_line(mark, panel, theme))
            case Scatter():
                found.append(_scatter(mark, panel, theme))
            case Heatmap():
                found.append(_heatmap(mark, panel, theme))
                if mark.text and max(mark.values.shape) <= TEXT_LIMIT:
                    found.append(_cell_text(mark, theme))
            case Bars():
                found.append(_bars(mark, theme))
            case Rule(axis="diagonal"):
                found.append(_diagonal(mark, panel, theme))
            case Rule():
                continue
    return found


def safe(text: str) -> str:
    r"""Escape what Plotly would read as markup or as a placeholder.

    >>> safe("<b>a</b> %{x}")
    '&lt;b&gt;a&lt;/b&gt; %\u200b{x}'
    """
    return html.escape(text, quote=False).replace("%{", "%\u200b{").replace("\n", "<br>")


def numbers(values: np.ndarray) -> list[Any]:
    """Return plain numbers of five digits; what is not finite becomes None.

    >>> numbers(np.array([[0.123456789, np.nan], [2.0, 1e-9]]))
    [[0.12346, None], [2, 1e-09]]
    """
    if values.ndim > 1:
        return [numbers(row) for row in values]
    return [_number(value) for value in values.tolist()]


def colorscale(scale: Scale, theme: Theme) -> list[list[Any]]:
    """Return a scale as Plotly's list of stops; classes become flat steps."""
    colours = [theme[stop] for stop in scale.stops]
    if not scale.classes:
        last = len(colours) - 1
        return [[round(step / last, 4), colour] for step, colour in enumerate(colours)]
    borders = np.linspace(0, 1, len(colours) + 1).round(6).tolist()
    ends = zip(borders[:-1], borders[1:], colours, strict=True)
    return [[border, colour] for low, high, colour in ends for border in (low, high)]


def extent(panel: Panel, axis: Literal["x", "y", "both"] = "both") -> tuple[float, float]:
    """Return the least and the greatest coordinate of a panel's points and lines."""
    axes = ("x", "y") if axis == "both" else (axis,)
    marks = [mark for mark in panel.marks if isinstance(mark, Line | Scatter)]
    values = np.concatenate([getattr(mark, name) for mark in marks for name in axes] or [[]])
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)


def log_ticks(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 times the powers of ten in a range, fewer in a wide one.

    >>> log_ticks(1, 60)
    [1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
    >>> log_ticks(0.001, 1000)
    [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]
    """
    low = max(low, high * 1e-12, 1e-300)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(max(high, low)))
    factors = (1, 2, 5) if math.log10(max(high, low) / low) < 3 else (1,)
    ticks = [float(f"{factor}e{power}") for power in range(first, last + 1) for factor in factors]
    return [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001]


def _number(value: float) -> float | int | None:
    if not np.isfinite(value):
        return None
    short = float(f"{value:.5g}")
    return int(short) if short.is_integer() and abs(short) < 1e15 else short


def _named(mark: Mark) -> dict[str, Any]:
    return {"name": safe(mark.label), "legendgroup": mark.label}


def _hover(panel: Panel, title: str, extra: str = "") -> str:
    x, y = safe(panel.x.label or "value"), safe(panel.y.label or "")
    height = f"<br>{y}: %{{y:.4~g}}" if y else ""
    return f"<b>{title}</b><br>{x}: %{{x:.4~g}}{height}{extra}<extra></extra>"


def _line(mark: Line, panel: Panel, theme: Theme) -> dict[str, Any]:
    colour = theme[mark.role]
    title = safe(mark.name or mark.label)
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines+markers" if mark.shape else "lines",
        "x": numbers(mark.x),
        "y": numbers(mark.y),
        "line": {"color": colour, "width": 0.9 if mark.thin else 1.8, "dash": mark.dash},
        **_named(mark),
    }
    if mark.shape:
        trace["marker"] = {"symbol": _SYMBOLS[mark.shape], "size": 6, "color": colour}
    if mark.steps:
        return {**trace, "hoverinfo": "skip"}
    extra = ""
    if mark.low is not None and mark.high is not None:
        trace["error_y"] = _errors(mark.y, mark.low, mark.high, colour)
        trace["customdata"] = numbers(np.column_stack([mark.low, mark.high]))
        extra = _interval(mark.interval)
    return {**trace, "hovertemplate": _hover(panel, title, extra)}


def _scatter(mark: Scatter, panel: Panel, theme: Theme) -> dict[str, Any]:
    colour = theme[mark.role]
    marker: dict[str, Any] = {"symbol": _SYMBOLS[mark.shape], "size": 7, "color": colour}
    if not mark.filled:
        open_symbol = _SYMBOLS[mark.shape] + ("" if mark.shape == "cross" else "-open")
        marker |= {"symbol": open_symbol, "line": {"width": 1.6, "color": colour}}
    if mark.values is not None and mark.scale is not None:
        marker |= {
            "size": 6 if len(mark.x) < 200 else 4.5,
            "color": numbers(mark.values),
            "colorscale": colorscale(mark.scale, theme),
            "cmin": mark.scale.low,
            "cmax": max(mark.scale.high, mark.scale.low + 1e-9),
        }
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines+markers" if mark.path else "markers",
        "x": numbers(mark.x),
        "y": numbers(mark.y),
        "marker": marker,
        **_named(mark),
    }
    if mark.path:
        trace["line"] = {"color": theme["muted"], "width": 0.6}
    extra = ""
    if mark.low is not None and mark.high is not None:
        trace["error_x"] = _errors(mark.x, mark.low, mark.high, colour)
        trace["customdata"] = numbers(np.column_stack([mark.low, mark.high]))
        extra = _interval(mark.interval)
    if mark.names:
        trace["text"] = [safe(name) for name in mark.names]
        title = "%{text}" if mark.scale else f"{safe(mark.label)}</b><br><b>%{{text}}"
        return {**trace, "hovertemplate": _hover(panel, title, extra)}
    return {**trace, "hovertemplate": _hover(panel, safe(mark.label), extra)}


def _interval(words: str) -> str:
    return f"<br>{safe(words)}: %{{customdata[0]:.4~g}} to %{{customdata[1]:.4~g}}"


def _errors(middle: np.ndarray, low: np.ndarray, high: np.ndarray, colour: str) -> dict[str, Any]:
    return {
        "type": "data",
        "symmetric": False,
        "array": numbers(high - middle),
        "arrayminus": numbers(middle - low),
        "color": colour,
        "thickness": 1.2,
        "width": 3,
    }


def _heatmap(mark: Heatmap, panel: Panel, theme: Theme) -> dict[str, Any]:
    discrete = bool(mark.scale.classes)
    margin = 0.5 if discrete else 0.0
    shown = "%{customdata}" if mark.names else "%{z:.4~g}"
    where = (
        f"{safe(panel.y.label or 'position')} %{{y}}, {safe(panel.x.label or 'position')} %{{x}}"
    )
    trace: dict[str, Any] = {
        "type": "heatmap",
        "z": numbers(mark.values),
        "zmin": mark.scale.low - margin,
        "zmax": max(mark.scale.high, mark.scale.low + 1e-9) + margin,
        "colorscale": colorscale(mark.scale, theme),
        "showscale": False,
        "hoverongaps": False,
        "hovertemplate": f"{where}<br>{safe(mark.label)}: {shown}<extra></extra>",
        "name": safe(mark.label),
    }
    if mark.names:
        trace["customdata"] = [[safe(name) for name in row] for row in mark.names]
    if max(mark.values.shape) <= TEXT_LIMIT and not panel.x.hidden:
        trace |= {"xgap": 1, "ygap": 1}
    return trace


def text_size(mark: Heatmap) -> int:
    """Return the size of the text in the cells: smaller for more columns."""
    columns = mark.values.shape[1]
    return 11 if columns <= 8 else 9 if columns <= 12 else 7


def text_role(mark: Heatmap, value: float) -> str:
    """Return the colour role that is legible on the cell of a number."""
    if mark.scale.classes:
        return "ink" if mark.scale.role(value) == "undefined" else "paper"
    part = (value - mark.scale.low) / max(mark.scale.high - mark.scale.low, 1e-9)
    if mark.scale.diverging:
        part = abs(2 * part - 1)
    return "paper" if part > 0.55 else "ink"


def _cell_text(mark: Heatmap, theme: Theme) -> dict[str, Any]:
    # Plotly gives the text of a heat map one colour only, so points carry it.
    cells = list(np.ndindex(*mark.values.shape))
    colours = [theme[text_role(mark, float(mark.values[cell]))] for cell in cells]
    return {
        "type": "scatter",
        "mode": "text",
        "x": [column for _, column in cells],
        "y": [row for row, _ in cells],
        "text": [safe(mark.text[row][column]) for row, column in cells],
        "textfont": {"size": text_size(mark), "color": colours},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _bars(mark: Bars, theme: Theme) -> dict[str, Any]:
    return {
        "type": "bar",
        "x": numbers((mark.edges[:-1] + mark.edges[1:]) / 2),
        "y": numbers(mark.heights),
        "width": numbers(np.diff(mark.edges)),
        "marker": {"color": theme[mark.role], "line": {"color": theme["paper"], "width": 1}},
        "customdata": numbers(np.column_stack([mark.edges[:-1], mark.edges[1:]])),
        "hovertemplate": f"<b>{safe(mark.label)}</b><br>%{{customdata[0]:.3~g}} to "
        "%{customdata[1]:.3~g}: %{y}<extra></extra>",
        **_named(mark),
    }


def _diagonal(mark: Rule, panel: Panel, theme: Theme) -> dict[str, Any]:
    low, high = extent(panel)
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [low, high],
        "y": [low, high],
        "line": {"color": theme[mark.role], "width": 1.2, "dash": mark.dash},
        "hoverinfo": "skip",
        **_named(mark),
    }
