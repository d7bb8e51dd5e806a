"""Documents in CoNLL-U treebanks."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from posprobe.data.annotation import Annotation
from posprobe.data.conllu_words import Line, Word, annotate, joined, read_words
from posprobe.data.documents import Document
from posprobe.data.lines import read_lines

Sentence = tuple[str, tuple[Word, ...], str]
"""A sentence's text, if they are asked for its words, and its `# s_type`, if it has one."""


def read_conllu(path: Path, *, annotated: bool = False) -> Iterator[Document]:
    """Read the documents of a treebank, one after the other.

    `# newdoc` begins a document and `# newpar` a paragraph. A file without `# newdoc`
    is one document, and a document without `# newpar` is one paragraph. A sentence's
    text is its `# text`, or, where that is missing, its words, joined as `SpaceAfter=No`
    says.

    Args:
        path: A UTF-8 file, compressed or not.
        annotated: Whether to keep what the file says of each word, as `annotation`.

    Raises:
        CorpusError: If a line that is read is neither a comment nor a word in ten
            columns; the message names the line.
    """
    name = path.name
    paragraphs: list[list[Sentence]] = [[]]
    for lines in _sentences(path):
        comments = dict(_comments(lines))
        if "newdoc" in comments:
            yield from _document(paragraphs, name, annotated)
            name, paragraphs = comments["newdoc"] or f"{path.name}:{lines[0][0]}", [[]]
        elif "newpar" in comments:
            paragraphs.append([])
        # With the text at hand, the words need not be looked at.
        words = read_words(lines, path) if annotated or not comments.get("text") else ()
        text = comments.get("text") or joined(words)
        if text:
            paragraphs[-1].append((text, words, comments.get("s_type", "")))
    yield from _document(paragraphs, name, annotated)


def _document(paragraphs: list[list[Sentence]], name: str, annotated: bool) -> Iterator[Document]:
    kept = [sentences for sentences in paragraphs if sentences]
    if not kept:
        return
    texts = tuple(tuple(text for text, _, _ in sentences) for sentences in kept)
    annotation: Annotation | None = None
    if annotated:
        words = [words for sentences in kept for _, words, _ in sentences]
        types = tuple(kind for sentences in kept for _, _, kind in sentences)
        annotation = replace(annotate(words, Document(texts)), sentence_type=types)
    yield Document(texts, name=name, annotation=annotation)


def _sentences(path: Path) -> Iterator[list[Line]]:
    """Give the numbered lines between empty lines."""
    sentence: list[Line] = []
    for number, line in read_lines(path):
        if line.strip():
            sentence.append((number, line))
        elif sentence:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def _comments(sentence: list[Line]) -> Iterator[tuple[str, str]]:
    """Give `text`, `newdoc`, `newpar`, `s_type`; others, such as newpar_block, are not ours."""
    for _, line in sentence:
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            # Both `# newpar id = 7` and `# newpar` are in use.
            key = key.strip().removesuffix(" id")
            if key in ("text", "newdoc", "newpar", "s_type"):
                yield key, value.strip()
