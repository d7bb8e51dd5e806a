"""English prose that is on every machine: what Python and its packages say of themselves."""

from collections.abc import Iterator

from posprobe.core.errors import CorpusError
from posprobe.data.documents import Document
from posprobe.data.english import LEANING
from posprobe.data.installed_modules import PACKAGES, SHORTEST, module_texts
from posprobe.data.markup import prose_blocks
from posprobe.data.prose import prose_sentences
from posprobe.data.repeats import Repeats

Paragraph = tuple[str, ...]

TERSE = 12
"""Docstrings with fewer words of prose are left out."""


def installed_documents(
    *, min_words: int = SHORTEST, packages: tuple[str, ...] = PACKAGES
) -> Iterator[Document]:
    """Stream the English prose of Python's manual and of the docstrings of packages.

    A document is the prose of one module: its own docstring, then those of its classes
    and functions in file order. A module with much prose is cut where a docstring opens,
    as soon as a document has `min_words`; in a very long docstring, at a paragraph that
    does not lean on the one before. Code, tables, headings, names and types of
    parameters are left out, and so are sentences that were seen before. Files are read in
    the order of their paths and never run, so the same versions give the same documents.

    Args:
        min_words: Words of the shortest document, at least 1. A vocabulary of 2,000
            subwords makes about 1.85 tokens of a word, so 75 words fill 128 positions,
            150 words 256, and 300 words 512.
        packages: Import names of packages; `python` is the standard library.

    Returns:
        The documents, made while they are asked for.

    Raises:
        CorpusError: At once, if `min_words` is below 1 or a package is not installed.
    """
    if min_words < 1:
        raise CorpusError(f"installed text: min_words={min_words} must be at least 1")
    return _stream(module_texts(packages), min_words)


def _stream(modules: Iterator[tuple[str, Iterator[str]]], min_words: int) -> Iterator[Document]:
    repeats = Repeats()
    for name, texts in modules:
        yield from _documents(texts, name, min_words, repeats)


def _documents(
    texts: Iterator[str], name: str, min_words: int, repeats: Repeats
) -> Iterator[Document]:
    """Join the paragraphs of a module into documents; the last takes up what is too short."""
    ready: list[Paragraph] = []
    part: list[Paragraph] = []
    number = 0
    for opens, paragraph in (item for text in texts for item in _paragraphs(text, repeats)):
        words = _count(part)
        leans = paragraph[0].split()[0].strip(",") in LEANING
        if not part and leans and not opens:
            continue
        if words >= min_words and (opens or (words >= 2 * min_words and not leans)):
            if ready:
                yield Document(tuple(ready), name=f"{name} {number}")
                number += 1
            ready, part = part, []
        part.append(paragraph)
    last = [ready, part] if _count(part) >= min_words else [ready + part]
    for paragraphs in last:
        if _count(paragraphs) >= min_words:
            yield Document(tuple(paragraphs), name=f"{name} {number}")
            number += 1


def _paragraphs(docstring: str, repeats: Repeats) -> list[tuple[bool, Paragraph]]:
    """Return the paragraphs of prose, and of each whether it opens the docstring."""
    found = []
    for place, block in enumerate(prose_blocks(docstring)):
        sentences = prose_sentences(block, opening=place == 0)
        if sentences and not repeats.is_repeat(sentences):
            found.append((place == 0, sentences))
    return found if _count([sentences for _, sentences in found]) >= TERSE else []


def _count(paragraphs: list[Paragraph]) -> int:
    return sum(len(sentence.split()) for paragraph in paragraphs for sentence in paragraph)
