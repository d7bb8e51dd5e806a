"""Named entities in UD GUM, which brackets them in MISC."""

import re
from collections.abc import Iterator

from posprobe.data.holmes.item import Item
from posprobe.data.holmes.sentences import TreebankSentence

_BRACKET = re.compile(r"\((?P<opened>[^()]+)(?P<alone>\))?|(?P<closed>[^()]+)\)")
_TYPE, _IDENTITY = 1, 7
"""Fields of an opening bracket: what the entity is, and the article on it that names it."""


def entities(sentence: TreebankSentence) -> Iterator[Item]:
    """Give the named entities of a sentence with their types, such as `person`.

    A mention counts as named if GUM links it to an article. One that has gaps, or does not end
    in its sentence, is left out.
    """
    opened: dict[str, list[tuple[str, int]]] = {}
    for word in sentence.words:
        for bracket in _BRACKET.finditer(word.misc.get("Entity", "")):
            if bracket["opened"]:
                fields = bracket["opened"].split("-", maxsplit=_IDENTITY)
                # An empty type marks a mention without a name, or a piece of one with gaps.
                whole = len(fields) > _IDENTITY and "[" not in fields[0]
                kind = fields[_TYPE] if whole else ""
                opened.setdefault(fields[0], []).append((kind, word.start))
            if bracket["alone"] or bracket["closed"]:
                group = bracket["closed"] or bracket["opened"].partition("-")[0]
                # A mention may have begun in another sentence.
                kind, start = opened[group].pop() if opened.get(group) else ("", -1)
                if kind and start >= 0 and word.end > start:
                    place = (0, start, word.end)
                    yield Item(texts=(sentence.text,), label=kind, places=(place,))
