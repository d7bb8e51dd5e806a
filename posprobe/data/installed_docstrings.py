"""Docstrings as they stand: texts with an opening, sections, lists and an end."""

from collections.abc import Iterator

from posprobe.core.errors import CorpusError
from posprobe.data.documents import Document
from posprobe.data.installed_modules import PACKAGES, SHORTEST, module_texts
from posprobe.data.plain_text import paragraphs_of
from posprobe.data.repeats import Repeats


def docstring_documents(
    *, min_words: int = SHORTEST, packages: tuple[str, ...] = PACKAGES
) -> Iterator[Document]:
    """Stream the chapters of Python's manual and the longer docstrings of packages, each whole.

    Unlike `installed_documents`, which joins prose from many places, a document here was
    written as one: what stands in it depends on where. A summary opens it, headings, lists of
    parameters and examples follow. Markup and code stay as they are; an empty line ends a
    paragraph, and its lines are joined. A docstring half of whose sentences were seen before
    is left out, as inherited ones are.

    Args:
        min_words: Words of the shortest document, at least 1; words are what white space
            separates.
        packages: Import names of packages; `python` is the standard library.

    Raises:
        CorpusError: At once, if `min_words` is below 1 or a package is not installed.
    """
    if min_words < 1:
        raise CorpusError(f"docstrings: min_words={min_words} must be at least 1")
    return _stream(module_texts(packages), min_words)


def _stream(modules: Iterator[tuple[str, Iterator[str]]], min_words: int) -> Iterator[Document]:
    repeats = Repeats()
    for name, texts in modules:
        for number, text in enumerate(texts):
            # Splitting sentences is what takes time, and most docstrings are short.
            if len(text.split()) < min_words:
                continue
            paragraphs = paragraphs_of(text)
            if not repeats.is_repeat(tuple(s for p in paragraphs for s in p)):
                yield Document(paragraphs, name=f"{name} {number}")
