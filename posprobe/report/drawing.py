"""A block as a page draws it: with a drawing that needs no script, and one that does."""

import json
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from posprobe.figures.description import Figure
from posprobe.figures.matplotlib_renderer import svg
from posprobe.figures.plotly_renderer import plotly_spec
from posprobe.figures.theme import CSS
from posprobe.report.legend import Entry, legend
from posprobe.report.section import Block
from posprobe.report.table import Table

WIDE, NARROW = 900, 380
"""Widths in pixels that the two layouts of a figure are reckoned for."""


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """A block with everything that a page needs to show it.

    Attributes:
        id: The anchor of the block.
        block: What is shown.
        static: The figure as SVG; None without a figure.
        legend: Its key.
        spec: What Plotly is given, as JSON; None on a page without scripts.
        heights: Height in pixels of its wide and its narrow layout.
    """

    id: str
    block: Block
    static: Markup | None = None
    legend: tuple[Entry, ...] = ()
    spec: Markup | None = None
    heights: tuple[int, int] = (0, 0)

    @property
    def tables(self) -> dict[str, Table]:
        """The tables of the block by their anchors, the one beside the figure first."""
        beside = () if self.block.beside is None else (self.block.beside,)
        numbered = enumerate((*beside, *self.block.tables), start=1)
        return {f"{self.id}-table-{number}": table for number, table in numbered}


def drawing(block: Block, *, anchor: str, interactive: bool) -> Drawing:
    """Draw a block.

    Args:
        block: What is shown.
        anchor: Its anchor, if it has no figure to be named after.
        interactive: Whether to add what Plotly is given.
    """
    figure = block.figure
    if figure is None:
        return Drawing(id=anchor, block=block)
    spec = _spec(figure) if interactive else None
    return Drawing(
        id=figure.id,
        block=block,
        static=Markup(svg(figure)),
        legend=legend(figure),
        spec=None if spec is None else script_json(spec),
        heights=(0, 0) if spec is None else (spec["wide"]["height"], spec["narrow"]["height"]),
    )


def script_json(value: Any) -> Markup:
    """Return plain values as JSON that may stand inside a script element."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # "</script>" or "<!--" in a name would end or change the script element.
    return Markup(text.replace("<", "\\u003c"))


def _spec(figure: Figure) -> dict[str, Any]:
    wide = plotly_spec(figure, theme=CSS, width=WIDE)
    narrow = plotly_spec(figure, theme=CSS, width=NARROW, columns=figure.narrow)
    return {"data": wide["data"], "wide": wide["layout"], "narrow": narrow["layout"]}
