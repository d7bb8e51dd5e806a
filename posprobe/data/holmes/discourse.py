"""Discourse relations in UD GUM, which marks where each unit begins in MISC."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from posprobe.data.holmes.item import Item
from posprobe.data.holmes.sentences import TreebankSentence

_RELATION = re.compile(r"(?P<group>[A-Za-z]+)(?:-[\w-]+)?:(?P<unit>\d+)->(?P<parent>\d+)")
_FIRST_NUMBER = re.compile(r"[^:]+:(\d+)")
_NO_RELATION = ("ROOT", "same")
"""The root has no parent, and `same-unit` joins the pieces of one unit."""


@dataclass(frozen=True)
class _Unit:
    sentence: int
    start: int
    end: int


def relations(
    sentences: Sequence[TreebankSentence], generator: np.random.Generator
) -> Iterator[Item]:
    """Give each discourse unit with the unit it hangs on, and the group of their relation.

    The groups are those before the hyphen in `elaboration-attribute`. Where a unit has several
    relations, the first one counts, which is that of the tree.
    """
    units: dict[str, _Unit] = {}
    found: list[tuple[str, str, str]] = []
    for place, sentence in enumerate(sentences):
        begins = [index for index, word in enumerate(sentence.words) if "Discourse" in word.misc]
        for first, last in pairwise([*begins, len(sentence.words)]):
            marked = sentence.words[first].misc["Discourse"].partition(";")[0]
            number = _FIRST_NUMBER.match(marked)
            spelled = [word for word in sentence.words[first:last] if word.start >= 0]
            if number is None or not spelled:
                continue
            units[number[1]] = _Unit(place, spelled[0].start, spelled[-1].end)
            if relation := _RELATION.match(marked):
                found.append((relation["group"], relation["unit"], relation["parent"]))
    for group, unit, parent in found:
        if group not in _NO_RELATION and parent in units:
            yield _pair(sentences, group, units[unit], units[parent])


def _pair(sentences: Sequence[TreebankSentence], group: str, unit: _Unit, parent: _Unit) -> Item:
    return Item(
        texts=(sentences[unit.sentence].text, sentences[parent.sentence].text),
        label=group,
        places=((0, unit.start, unit.end), (1, parent.start, parent.end)),
    )
