"""Where the panels of a figure go, in pixels."""

from dataclasses import dataclass

from posprobe.figures.description import Axis, Figure, Panel

LABEL_LIMIT = 30
"""Longest tick label, in characters; longer ones lose their middle."""

_CHARACTER = 6.2
_TICKS = 38
_TITLE = 20
_LINE = 15


@dataclass(frozen=True, kw_only=True)
class Cell:
    """The place of one panel.

    Attributes:
        panel: What is drawn there.
        left: Left end of the plotting area, from the left of the figure.
        right: Its right end.
        top: Its top, from the top of the figure.
        bottom: Its lower end.
        x_title: Whether the label of the x axis is written here.
        y_title: Whether the label of the y axis is written here.
        y_ticks: Whether the tick labels of the y axis are written here.
    """

    panel: Panel
    left: float
    right: float
    top: float
    bottom: float
    x_title: bool
    y_title: bool
    y_ticks: bool


def grid(figure: Figure, *, columns: int, width: int) -> tuple[tuple[Cell, ...], int]:
    """Lay out panels in rows, with room for labels only where they are written.

    Args:
        figure: What to lay out.
        columns: Panels beside each other.
        width: Width of the figure in pixels.

    Returns:
        The cells in the order of the panels, and the height of the figure in pixels.
    """
    pads = _left_pads(figure.panels, columns)
    wide = (width - sum(pads) - 12 * columns) / columns
    cells: list[Cell] = []
    top = 0.0
    for start in range(0, len(figure.panels), columns):
        row = figure.panels[start : start + columns]
        top += max(_title_height(panel) for panel in row)
        left = 0.0
        for column, panel in enumerate(row):
            left += pads[column]
            cells.append(
                Cell(
                    panel=panel,
                    left=left,
                    right=left + wide,
                    top=top,
                    bottom=top + figure.height,
                    x_title=_differs(panel.x, _at(figure, start + column + columns, "x")),
                    y_title=column == 0 or panel.y.label != row[column - 1].y.label,
                    y_ticks=column == 0 or not _same_ticks(panel, row[column - 1]),
                )
            )
            left += wide + 12
        top += figure.height + max(_foot(cell) for cell in cells[-len(row) :])
    return tuple(cells), round(top)


def shorten(text: str, *, limit: int = LABEL_LIMIT) -> str:
    """Leave out the middle of a long name, keeping more of its end.

    >>> shorten("abcdefghij", limit=7)
    'ab…ghij'
    """
    if len(text) <= limit:
        return text
    tail = max(1, (limit - 1) * 2 // 3)
    return f"{text[: max(1, limit - 1 - tail)]}…{text[-tail:]}"


def _at(figure: Figure, index: int, axis: str) -> Axis | None:
    return getattr(figure.panels[index], axis) if index < len(figure.panels) else None


def _differs(axis: Axis, below: Axis | None) -> bool:
    return bool(axis.label) and (below is None or below.label != axis.label)


def _same_ticks(panel: Panel, left: Panel) -> bool:
    return panel.y.tick_labels is not None and panel.y == left.y


def _left_pads(panels: tuple[Panel, ...], columns: int) -> list[float]:
    pads = []
    for column in range(columns):
        own = range(column, len(panels), columns)
        pads.append(max((_left_pad(panels, index, column) for index in own), default=0.0))
    return pads


def _left_pad(panels: tuple[Panel, ...], index: int, column: int) -> float:
    axis = panels[index].y
    if axis.hidden:
        return 2
    title = _TITLE if axis.label and (column == 0 or axis.label != panels[index - 1].y.label) else 0
    if column and _same_ticks(panels[index], panels[index - 1]):
        return 12 + title
    if axis.tick_labels is None:
        return _TICKS + title + (8 if column else 0)
    longest = max((len(shorten(label)) for label in axis.tick_labels), default=0)
    return 12 + _CHARACTER * longest + title


def _title_height(panel: Panel) -> int:
    return 8 + _LINE * len(panel.title.splitlines())


def _foot(cell: Cell) -> int:
    if cell.panel.x.hidden:
        return 8
    return 24 + (_TITLE if cell.x_title else 0)
