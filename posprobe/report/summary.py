"""The first sentences of a page of several measures."""

from itertools import zip_longest

from posprobe.report.head import Sentence
from posprobe.report.part import Part

FEWEST, MOST = 4, 6
"""Sentences of a summary: every measure speaks at least once, until there are `MOST`."""


def summary(parts: tuple[Part, ...]) -> tuple[Sentence, ...]:
    """Choose three to six sentences from the headlines, in the order of the page.

    The first sentence of each headline comes first, then the second of each, as long as there
    is room.

    Args:
        parts: The measures of a page.
    """
    room = max(FEWEST, min(MOST, len(parts)))
    rounds = enumerate(zip_longest(*(part.section.headline for part in parts)))
    ranked = [(i, depth) for depth, told in rounds for i, text in enumerate(told) if text]
    return tuple(_sentence(parts[i], depth) for i, depth in sorted(ranked[:room]))


def _sentence(part: Part, depth: int) -> Sentence:
    source = part.section.measure + (f", {part.name}" if part.name else "")
    return Sentence(text=part.section.headline[depth], key=part.key, source=source)
