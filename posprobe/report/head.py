"""The top of a page of several measures."""

from dataclasses import dataclass

from posprobe.report.table import Table


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """A sentence of a page's summary.

    Attributes:
        text: The sentence.
        key: Anchor of the part it is from.
        source: What that part is called.
    """

    text: str
    key: str
    source: str


@dataclass(frozen=True, kw_only=True)
class Head:
    """What stands at the top of a page of several measures.

    Attributes:
        title: Its heading.
        summary: What the numbers say, in three to six sentences.
        side_by_side: A few numbers of each checkpoint; None for one checkpoint.
        remarks: What is left out and why.
        command: The command line that makes the page.
    """

    title: str
    summary: tuple[Sentence, ...]
    side_by_side: Table | None
    remarks: tuple[str, ...]
    command: str
