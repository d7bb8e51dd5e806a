"""Documents in CoNLL-U treebanks."""

from collections.abc import Iterator
from pathlib import Path

from posprobe.core.errors import CorpusError
from posprobe.data.documents import Document
from posprobe.data.lines import read_lines

Sentence = list[tuple[int, str]]
COLUMNS = 10


def read_conllu(path: Path) -> Iterator[Document]:
    """Read the documents of a treebank, one after the other; only their text is kept.

    `# newdoc` begins a document and `# newpar` a paragraph. A file without `# newdoc`
    is one document, and a document without `# newpar` is one paragraph. A sentence's
    text is its `# text`, or, where that is missing, its words, joined as `SpaceAfter=No`
    says.

    Args:
        path: A UTF-8 file, compressed or not.

    Raises:
        CorpusError: If a line is neither a comment nor a word in ten columns; the
            message names the line.
    """
    name = path.name
    paragraphs: list[list[str]] = [[]]
    for sentence in _sentences(path):
        comments = dict(_comments(sentence))
        if "newdoc" in comments:
            yield from _document(paragraphs, name)
            name, paragraphs = comments["newdoc"] or f"{path.name}:{sentence[0][0]}", [[]]
        elif "newpar" in comments:
            paragraphs.append([])
        text = comments.get("text") or _joined(sentence, path)
        if text:
            paragraphs[-1].append(text)
    yield from _document(paragraphs, name)


def _document(paragraphs: list[list[str]], name: str) -> Iterator[Document]:
    kept = tuple(tuple(sentences) for sentences in paragraphs if sentences)
    if kept:
        yield Document(kept, name=name)


def _sentences(path: Path) -> Iterator[Sentence]:
    """Give the numbered lines between empty lines."""
    sentence: Sentence = []
    for number, line in read_lines(path):
        if line.strip():
            sentence.append((number, line))
        elif sentence:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def _comments(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Give `text`, `newdoc` and `newpar`; other comments, such as newpar_block, are not ours."""
    for _, line in sentence:
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            # Both `# newpar id = 7` and `# newpar` are in use.
            key = key.strip().removesuffix(" id")
            if key in ("text", "newdoc", "newpar"):
                yield key, value.strip()


def _joined(sentence: Sentence, path: Path) -> str:
    text, last_part = "", 0
    for number, line in sentence:
        if line.startswith("#"):
            continue
        columns = line.split("\t")
        if len(columns) != COLUMNS:
            raise CorpusError(
                f"corpus {path}:{number}: {len(columns)} columns in place of {COLUMNS}; "
                "is it CoNLL-U?"
            )
        first, _, last = columns[0].partition("-")
        # An empty node (8.1) is not in the text; words 3 and 4 are spelled by a line 3-4.
        if "." in first or (not last and _index(first, path, number) <= last_part):
            continue
        last_part = _index(last, path, number) if last else last_part
        text += columns[1] + ("" if "SpaceAfter=No" in columns[9].split("|") else " ")
    return text.strip()


def _index(word: str, path: Path, number: int) -> int:
    try:
        return int(word)
    except ValueError:
        raise CorpusError(f"corpus {path}:{number}: {word!r} is no word number") from None
