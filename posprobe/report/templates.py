"""The templates that pages are made from."""

import json
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from posprobe.core.result import plain
from posprobe.figures.ids import figure_id


@cache
def environment() -> Environment:
    """Return the templates of the pages."""
    found = Environment(
        loader=PackageLoader("posprobe.report", "."),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    found.filters |= {"word": _word, "slug": figure_id}
    return found


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
