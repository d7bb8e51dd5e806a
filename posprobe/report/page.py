"""One self-contained HTML page of one or several measures."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import chain, count

from markupsafe import Markup

from posprobe.core.provenance import Provenance
from posprobe.figures.theme import DARK, LIGHT
from posprobe.report.bundle import packed_plotly, packed_values, plotly_name
from posprobe.report.checkpoints import Listed, listed
from posprobe.report.drawing import Drawing, drawing
from posprobe.report.head import Head
from posprobe.report.part import Part
from posprobe.report.section import Section
from posprobe.report.table import Table
from posprobe.report.templates import environment
from posprobe.report.training import training_blocks

BUDGET = 6_000_000
"""Bytes that a page may have with the numbers it carries for download."""


def render_page(
    section: Section, provenance: Provenance, *, data: str = "", interactive: bool = True
) -> str:
    """Return the page of one measure, which needs no network.

    Args:
        section: What it says.
        provenance: Where the numbers come from.
        data: The content of the JSON file, to be downloaded from inside the page.
        interactive: Whether to embed Plotly (about 2 MB); without it the figures are drawings.
    """
    part = Part(section=section, provenance=provenance, key=section.measure)
    return render_parts((part,), data=data, interactive=interactive)


def render_parts(
    parts: tuple[Part, ...], *, head: Head | None = None, data: str = "", interactive: bool = True
) -> str:
    """Return the page of one or several measures, which needs no network.

    Args:
        parts: The measures in reading order.
        head: The top of the page; None where the only part is the page.
        data: The numbers as strict JSON, to be downloaded from inside the page.
        interactive: Whether to embed Plotly.
    """
    assert head is not None or len(parts) == 1
    views = tuple(_view(part, parts[:index], interactive) for index, part in enumerate(parts))
    drawings = [item for view in views for item in view.drawings]
    # How checkpoints were trained is part of where numbers come from, whatever the measure.
    training = [
        drawing(block, anchor="training", interactive=interactive)
        for block in training_blocks(*(part.provenance for part in parts))
    ]
    tables = {key: table for item in (*drawings, *training) for key, table in item.tables.items()}
    if head is not None and head.side_by_side is not None:
        tables["side-by-side"] = head.side_by_side
    name = "report" if head is not None else parts[0].key
    template = environment().get_template("template.html.jinja")
    known = {
        "head": head,
        "views": views,
        "training": training,
        "checkpoints": _all_checkpoints(parts),
        "light": Markup(LIGHT.css()),
        "dark": Markup(DARK.css()),
        "plotly": packed_plotly() if interactive else None,
        "plotly_name": plotly_name(),
    }
    render = partial(template.render, known)
    if not interactive:
        return render(data=None, whole=True)
    return _within_budget(render, f"{name}.json", data, tables)


def _within_budget(
    render: Callable[..., str], name: str, data: str, tables: dict[str, Table]
) -> str:
    """Let a page carry all numbers, or the tables alone, or nothing: what there is room for."""
    carried = {"name": name, "tables": {key: table.csv() for key, table in tables.items()}}
    text = render(data=packed_values({**carried, "json": data}), whole=True)
    if len(text.encode()) > BUDGET:
        text = render(data=packed_values(carried), whole=False)
    if len(text.encode()) > BUDGET:
        text = render(data=None, whole=False)
    return text


@dataclass(frozen=True, kw_only=True)
class _View:
    part: Part
    drawings: tuple[Drawing, ...]
    checkpoints: tuple[Listed, ...]
    explained: bool
    """Whether what is measured must be said: the part before may have said just that."""


def _view(part: Part, before: tuple[Part, ...], interactive: bool) -> _View:
    # Blocks without a figure are named after the part, and numbered from the second on.
    first = f"{part.key}-numbers"
    anchors = chain([first], (f"{first}-{number}" for number in count(2)))
    return _View(
        part=part,
        drawings=tuple(
            drawing(block, anchor=anchor, interactive=interactive)
            for block, anchor in zip(part.blocks(), anchors, strict=False)
        ),
        checkpoints=listed(part.provenance.checkpoints),
        explained=_words(part.section) not in [_words(other.section) for other in before],
    )


def _words(section: Section) -> tuple[str, ...]:
    return section.what, section.reading, section.limits, section.source


def _all_checkpoints(parts: tuple[Part, ...]) -> tuple[Listed, ...]:
    found = {item.source.ref: item for p in parts for item in listed(p.provenance.checkpoints)}
    return tuple(found.values())
