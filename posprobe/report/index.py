"""The page that links the reports of a folder."""

from dataclasses import dataclass
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

from markupsafe import Markup

from posprobe.core.files import write_text
from posprobe.figures.theme import DARK, LIGHT
from posprobe.report.templates import environment

NAME = "index.html"
ACROSS = "Across checkpoints"
"""What the pages are called that lie beside the index, such as that of the claims."""
_HEAD = 1 << 16
"""Characters of a page that are read: its head has what is wanted, the rest is long."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One page in the list.

    Attributes:
        link: Its path from the index.
        kind: The measure, or `report`.
        finding: The first sentence of what it says.
        data: Paths of the data files beside it.
        made: The day it was written.
    """

    link: str
    kind: str
    finding: str
    data: tuple[str, ...]
    made: date


def write_index(folder: Path) -> Path | None:
    """Write `index.html`, which links the reports beside it and in the folders below.

    Args:
        folder: Where reports lie, those of a checkpoint in a folder of its own.

    Returns:
        The path; None if there is no report, or if an `index.html` of another maker is there.
    """
    place = folder / NAME
    if place.exists() and not _is_ours(_Head(place)):
        return None
    found: dict[str, list[Entry]] = {}
    beside = (page for page in sorted(folder.glob("*.html")) if page != place)
    for page in (*beside, *sorted(folder.glob("*/*.html"))):
        if entry := _entry(page, folder):
            name = ACROSS if page.parent == folder else page.parent.name
            found.setdefault(name, []).append(entry)
    if not found:
        return None
    template = environment().get_template("index.html.jinja")
    text = template.render(folders=found, light=Markup(LIGHT.css()), dark=Markup(DARK.css()))
    return write_text(place, text)


class _Head(HTMLParser):
    """The title and the remarks that a page makes about itself."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.title, self.meta = "", dict[str, str]()
        self._in_title = False
        with page.open(encoding="utf-8", errors="replace") as stream:
            self.feed(stream.read(_HEAD))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "meta" and found.get("name"):
            self.meta[str(found["name"])] = found.get("content") or ""
        self._in_title = tag == "title"

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data


def _is_ours(head: _Head) -> bool:
    return head.meta.get("generator") == "posprobe"


def _entry(page: Path, folder: Path) -> Entry | None:
    head = _Head(page)
    if not _is_ours(head):
        return None
    stems = [page.stem] if page.stem != "report" else [p.stem for p in page.parent.glob("*.json")]
    files = [page.with_name(f"{stem}.{kind}") for stem in sorted(stems) for kind in ("json", "csv")]
    return Entry(
        link=page.relative_to(folder).as_posix(),
        kind=head.title.partition(":")[0],
        finding=head.meta.get("description", ""),
        data=tuple(file.relative_to(folder).as_posix() for file in files if file.is_file()),
        made=date.fromtimestamp(page.stat().st_mtime),
    )
