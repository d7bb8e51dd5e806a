"""A few numbers of each checkpoint in one table."""

from typing import Any

import pandas as pd

from posprobe.report.checkpoints import listed
from posprobe.report.part import Part
from posprobe.report.table import Table


def side_by_side(parts: tuple[Part, ...], names: dict[str, str]) -> Table | None:
    """Return a column per checkpoint and a row per number; None for a single checkpoint.

    Args:
        parts: The measures of a page.
        names: What each checkpoint is called, by reference.
    """
    if len(names) < 2:
        return None
    cells: dict[str, dict[str, Any]] = {}
    for part in parts:
        refs = [item.source.ref for item in listed(part.provenance.checkpoints)]
        for owner, numbers in part.section.glance.items():
            # A measure of one checkpoint may call it by another name than its reference.
            name = names[refs[0]] if len(refs) == 1 else names.get(owner, owner)
            for number, value in numbers.items():
                cells.setdefault(number, {})[name] = value
    if not cells:
        return None
    columns = list(names.values())
    # NA is "not measured"; NaN would be "undefined".
    rows = [[row, *(found.get(name, pd.NA) for name in columns)] for row, found in cells.items()]
    frame = pd.DataFrame(rows, columns=["number", *columns], dtype=object)
    return Table(frame=frame, caption="Side by side; each section says how to read its numbers")
