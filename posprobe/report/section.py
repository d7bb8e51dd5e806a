"""What a page says of one measure."""

from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from posprobe.figures.description import Figure
from posprobe.report.table import Table


@dataclass(frozen=True, kw_only=True)
class Block:
    """A figure and its numbers.

    Attributes:
        figure: What is drawn; None for numbers without a figure.
        beside: A short table that is read with the figure.
        tables: The numbers drawn, as many as there are.
        remark: What is said of the tables.
        links: Text and anchor of what on the same page belongs to it.
    """

    figure: Figure | None
    beside: Table | None = None
    tables: tuple[Table, ...] = ()
    remark: str = ""
    links: tuple[tuple[str, str], ...] = ()


def block(figure: Figure, *tables: Table) -> Block:
    """Put a table that is short and narrow beside its figure, others below.

    Args:
        figure: What is drawn.
        tables: Its numbers.
    """
    if len(tables) == 1 and len(tables[0].frame) <= 14 and len(tables[0].frame.columns) <= 4:
        return Block(figure=figure, beside=tables[0])
    return Block(figure=figure, tables=tables)


@dataclass(frozen=True, kw_only=True)
class Section:
    """One measure on a page.

    Attributes:
        measure: Its name, used as anchor and file name.
        title: The question it answers.
        headline: Two to four sentences with the numbers that matter.
        what: What is measured, in a sentence or two.
        reading: How to read the numbers.
        source: Where the definition comes from.
        limits: What the numbers do not show.
        overview: The few numbers a terminal has room for.
        blocks: Figures with their tables, in reading order.
        columns: Each column of the CSV file and what it holds.
        glance: A few numbers of each checkpoint by name, for a page that compares several.
    """

    measure: str
    title: str
    headline: tuple[str, ...]
    what: str
    reading: str
    source: str
    limits: str
    overview: pd.DataFrame
    blocks: tuple[Block, ...]
    columns: dict[str, str]
    glance: dict[str, dict[str, Any]] = field(default_factory=dict)
