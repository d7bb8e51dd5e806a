"""The words of a sentence in CoNLL-U, and where they stand in the text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from sys import intern

import numpy as np

from posprobe.core.errors import CorpusError
from posprobe.data.annotation import Annotation
from posprobe.data.documents import Document

Line = tuple[int, str]
"""A line with its number in the file."""

COLUMNS = 10


GAP = 8
"""How far after the word before it a word is looked for, in characters."""


@dataclass(frozen=True)
class Word:
    """A syntactic word.

    Attributes:
        columns: Its ten columns.
        surface: What the text spells: the word, or the whole contraction at its first
            part; empty at its other parts, which share that place.
        space: Whether a space follows what the text spells.
    """

    columns: tuple[str, ...]
    surface: str
    space: bool


def read_words(lines: Sequence[Line], path: Path) -> tuple[Word, ...]:
    """Read the words of a sentence; empty nodes, which are not in the text, are left out.

    Args:
        lines: The sentence's lines, comments among them.
        path: The file, for messages.

    Raises:
        CorpusError: If a line does not have ten columns or is not numbered.
    """
    words: list[Word] = []
    contraction: tuple[str, ...] | None = None
    last_part = 0
    for number, line in lines:
        if line.startswith("#"):
            continue
        columns = _columns(line, path, number)
        first, _, last = columns[0].partition("-")
        if "." in first:
            continue
        if last:
            contraction, last_part = columns, _number(last, path, number)
        else:
            spelled = contraction if _number(first, path, number) <= last_part else columns
            words.append(_word(columns, spelled))
            contraction = None
    return tuple(words)


def joined(words: Sequence[Word]) -> str:
    """Write a sentence from its words."""
    return "".join(word.surface + " " * word.space for word in words).strip()


def annotate(sentences: Sequence[Sequence[Word]], document: Document) -> Annotation:
    """Put the words of a document's sentences into columns.

    Args:
        sentences: The words of each sentence, in order.
        document: The same sentences as text, where the words are looked for.
    """
    words = [word for sentence in sentences for word in sentence]
    form, lemma, upos, xpos, feats, _, deprel, deps, misc = (
        tuple(word.columns[column] for word in words) for column in range(1, COLUMNS)
    )
    spans, text = document.spans(), document.text
    places = np.array(
        [
            (span.start + start, span.start + end) if start >= 0 else (-1, -1)
            for span, sentence in zip(spans, sentences, strict=True)
            for start, end in _places(text[span.start : span.end], sentence)
        ],
        dtype=np.int64,
    ).reshape(-1, 2)
    return Annotation(
        form=form,
        lemma=lemma,
        upos=upos,
        xpos=xpos,
        feats=feats,
        deprel=deprel,
        deps=deps,
        misc=misc,
        head=np.array([head for heads in _heads(sentences) for head in heads], dtype=np.int64),
        sentence=np.repeat(np.arange(len(sentences)), [len(words) for words in sentences]),
        start=places[:, 0],
        end=places[:, 1],
    )


def _columns(line: str, path: Path, number: int) -> tuple[str, ...]:
    # Tags and most words come again and again; each is kept once.
    columns = tuple(map(intern, line.split("\t")))
    if len(columns) != COLUMNS:
        raise CorpusError(
            f"corpus {path}:{number}: {len(columns)} columns in place of {COLUMNS}; is it CoNLL-U?"
        )
    return columns


def _number(word: str, path: Path, number: int) -> int:
    try:
        return int(word)
    except ValueError:
        raise CorpusError(f"corpus {path}:{number}: {word!r} is no word number") from None


def _word(columns: tuple[str, ...], spelled: tuple[str, ...] | None) -> Word:
    if spelled is None:
        return Word(columns, "", False)
    return Word(columns, spelled[1], "SpaceAfter=No" not in spelled[9].split("|"))


def _places(text: str, words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """Give where each word starts and ends in its sentence; (-1, -1) if it is not there."""
    end, place = 0, (-1, -1)
    for word in words:
        if word.surface:
            start = text.find(word.surface, end, end + len(word.surface) + GAP)
            place = (start, start + len(word.surface)) if start >= 0 else (-1, -1)
            end = max(end, place[1])
        yield place


def _heads(sentences: Sequence[Sequence[Word]]) -> Iterator[list[int]]:
    first = 0
    for words in sentences:
        index = {word.columns[0]: first + place for place, word in enumerate(words)}
        yield [index.get(word.columns[6], -1) for word in words]
        first += len(words)
