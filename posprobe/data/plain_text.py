"""Documents in plain text files."""

from collections.abc import Iterator
from pathlib import Path

from posprobe.data.documents import Document
from posprobe.data.lines import read_lines
from posprobe.data.sentences import split_sentences

SEPARATOR = "==="


def read_plain_text(path: Path, *, whole: bool = False) -> Iterator[Document]:
    """Read the documents of a text file, one after the other.

    An empty line ends a paragraph. A line that holds only `===`, or a form feed, ends a
    document. The lines of a paragraph are joined by spaces, and its sentences are split
    by rules, since plain text does not mark them.

    Args:
        path: A UTF-8 file, compressed or not.
        whole: Whether the file is one document, whatever separators it holds.

    Raises:
        CorpusError: If the file cannot be read; the message names the line.
    """
    paragraphs: list[tuple[str, ...]] = []
    lines: list[str] = []
    first = 1
    for number, line in _events(path, whole):
        if line is not None and line.strip():
            lines.append(line.strip())
            continue
        if lines:
            paragraphs.append(split_sentences(" ".join(lines)))
            lines = []
        if line is None:
            if paragraphs:
                yield Document(tuple(paragraphs), name=str(path) if whole else f"{path}:{first}")
            paragraphs, first = [], number + 1


def paragraphs_of(text: str) -> tuple[tuple[str, ...], ...]:
    r"""Split a text into paragraphs at its empty lines, and these into sentences.

    >>> paragraphs_of("One\nline.\n\nTwo. Three.")
    (('One line.',), ('Two.', 'Three.'))
    """
    paragraphs: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.strip():
            paragraphs[-1].append(line.strip())
        else:
            paragraphs.append([])
    return tuple(split_sentences(" ".join(lines)) for lines in paragraphs if lines)


def _events(path: Path, whole: bool) -> Iterator[tuple[int, str | None]]:
    """Give the lines, and None where a document ends."""
    number = 0
    for number, line in read_lines(path):
        if whole:
            yield number, line
        elif line.strip(" \t") == SEPARATOR:
            yield number, None
        else:
            before, *after = line.split("\f")
            yield number, before
            for part in after:
                yield number - 1, None
                yield number, part
    yield number, None
