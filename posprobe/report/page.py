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
from posprobe.report.legend import Entry, legend
from posprobe.report.section import Block, Section

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
    return template.render(
        section=section,
        names=[source.ref for source in provenance.checkpoints],
        drawings=[_drawing(block, interactive) for block in section.blocks],
        provenance=provenance,
        options=_words(provenance.options),
        trained=[_words(source.trained) for source in provenance.checkpoints],
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


def _words(options: dict[str, Any]) -> list[tuple[str, str]]:
    found = []
    for name, value in plain(options).items():
        found.append((name, _word(value)))
    return found


def _word(value: Any) -> str:
    match value:
        case None | [] | {}:
            return "none"
        case bool():
            return "yes" if value else "no"
        case str():
            return value
        case list():
            return ", ".join(_word(item) for item in value)
        case _:
            return json.dumps(value, ensure_ascii=False)


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("posprobe.report", "."),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
