"""A treebank's sentences with their words, one sentence at a time."""

from collections.abc import Iterator
from dataclasses import dataclass

from posprobe.data.documents import Document

NOTHING = "_"


@dataclass(frozen=True, kw_only=True)
class Word:
    """A word of a sentence.

    Attributes:
        start: First character in the sentence's text; -1 if the text does not spell it.
        end: One more than the last character, or -1.
        alone: Whether it is spelled, and no other word at the same place, as the parts of a
            contraction are.
        upos: Universal part of speech.
        feats: Morphological features by name.
        deprel: Relation to the head, without its subtype.
        head: The head's place in the sentence, from 0; -1 for the root.
        misc: Other annotation by name.
    """

    start: int
    end: int
    alone: bool
    upos: str
    feats: dict[str, str]
    deprel: str
    head: int
    misc: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class TreebankSentence:
    """A sentence.

    Attributes:
        text: Its text.
        words: Its words, in order.
        type: What the treebank calls it, such as `decl`; empty if it says nothing.
    """

    text: str
    words: tuple[Word, ...]
    type: str


def treebank_sentences(document: Document) -> Iterator[TreebankSentence]:
    """Go through the sentences of an annotated document.

    Args:
        document: Read with its annotation.
    """
    annotation = document.annotation
    assert annotation is not None, "read the document with its annotation"
    first, text = 0, document.text
    for span in document.spans():
        last = first
        while last < len(annotation) and annotation.sentence[last] == span.sentence:
            last += 1
        places = list(
            zip(
                annotation.start[first:last].tolist(),
                annotation.end[first:last].tolist(),
                strict=True,
            )
        )
        yield TreebankSentence(
            text=text[span.start : span.end],
            words=tuple(
                _word(document, index, first, span.start, shared=places.count(place) > 1)
                for index, place in zip(range(first, last), places, strict=True)
            ),
            type=annotation.sentence_type[span.sentence],
        )
        first = last


def _word(document: Document, index: int, first: int, origin: int, *, shared: bool) -> Word:
    annotation = document.annotation
    assert annotation is not None
    start, end, head = (
        int(column[index]) for column in (annotation.start, annotation.end, annotation.head)
    )
    spelled = start >= 0
    return Word(
        start=start - origin if spelled else -1,
        end=end - origin if spelled else -1,
        alone=spelled and not shared,
        upos=annotation.upos[index],
        feats=_pairs(annotation.feats[index]),
        deprel=annotation.deprel[index].partition(":")[0],
        head=head - first if head >= 0 else -1,
        misc=_pairs(annotation.misc[index]),
    )


def _pairs(column: str) -> dict[str, str]:
    if column == NOTHING:
        return {}
    return {name: value for name, _, value in (item.partition("=") for item in column.split("|"))}
