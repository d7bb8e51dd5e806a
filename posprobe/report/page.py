"""One self-contained HTML page."""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from posprobe.core.provenance import Provenance
from posprobe.core.result import plain
from posprobe.figures.description import Figure
from posprobe.figures.matplotlib_renderer import svg
from posprobe.figures.plotly_renderer import plotly_spec
from posprobe.figures.theme import CSS, DARK, LIGHT
from posprobe.report.checkpoints import listed
from posprobe.report.legend import Entry, legend
from posprobe.report.section import Block, Section
from posprobe.report.training import training_blocks

WIDE, NARROW = 900, 380
"""Widths in pixels that the two layouts of a figure are reckoned for."""


def render_page(section: Section, provenance: Provenance, *, interactive: bool = True) -> str:
    """Return a page that needs no network.

    Args:
        section: What it says.
        provenance: Where the numbers come from.
        interactive: Whether to embed Plotly (about 5 MB); without it the figures are drawings.
    """
    template = _environment().get_template("template.html.jinja")
    # How checkpoints were trained is part of where numbers come from, whatever the measure.
    blocks = (*section.blocks, *training_blocks(provenance))
    return template.render(
        section=section,
        drawings=[_drawing(block, interactive) for block in blocks],
        provenance=provenance,
        checkpoints=listed(provenance.checkpoints),
        options=provenance.options,
        light=Markup(LIGHT.css()),
        dark=Markup(DARK.css()),
        plotly=Markup(get_plotlyjs()) if interactive else None,
    )


@dataclass(frozen=True, kw_only=True)
class _Drawing:
    block: Block
    static: Markup
    legend: tuple[Entry, ...]
    spec: Markup | None
    heights: tuple[int, int]


def _drawing(block: Block, interactive: bool) -> _Drawing:
    if block.figure is None:
        return _Drawing(block=block, static=Markup(""), legend=(), spec=None, heights=(0, 0))
    spec = _spec(block.figure) if interactive else {}
    return _Drawing(
        block=block,
        static=Markup(svg(block.figure)),
        legend=legend(block.figure),
        spec=_script(spec) if interactive else None,
        heights=(spec["wide"]["height"], spec["narrow"]["height"]) if interactive else (0, 0),
    )


def _spec(figure: Figure) -> dict[str, Any]:
    wide = plotly_spec(figure, theme=CSS, width=WIDE)
    narrow = plotly_spec(figure, theme=CSS, width=NARROW, columns=figure.narrow)
    return {"data": wide["data"], "wide": wide["layout"], "narrow": narrow["layout"]}


def _script(value: Any) -> Markup:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # "</script>" or "<!--" in a name would end or change the script element.
    return Markup(text.replace("<", "\\u003c"))


def _word(value: Any) -> str:
    match plain(value):
        # An empty mapping as a pattern would match every dict.
        case None | []:
            return "none"
        case bool() as answer:
            return "yes" if answer else "no"
        case str() as text:
            return text
        case list() as items:
            return ", ".join(_word(item) for item in items)
        case dict() as items:
            return ", ".join(f"{key} {_word(item)}" for key, item in items.items()) or "none"
        case other:
            return json.dumps(other)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("posprobe.report", "."),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["word"] = _word
    return environment
