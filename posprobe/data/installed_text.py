"""English prose that is on every machine: what Python and its packages say of themselves."""

import ast
import platform
import sysconfig
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from posprobe.core.errors import CorpusError
from posprobe.data.docstrings import docstrings
from posprobe.data.documents import Document
from posprobe.data.english import LEANING
from posprobe.data.markup import prose_blocks
from posprobe.data.prose import prose_sentences
from posprobe.data.repeats import Repeats

Paragraph = tuple[str, ...]

STANDARD = "python"
PACKAGES = (
    STANDARD,
    *("numpy", "scipy", "pandas", "sklearn", "torch", "matplotlib", "numba", "transformers"),
    *("huggingface_hub", "transformer_lens", "datasets", "accelerate", "wandb", "sympy"),
    *("networkx", "plotly", "PIL", "fontTools", "pydantic", "jinja2", "rich"),
)
"""What posprobe depends on, and what that depends on, where there is much to read.

A fixed list, so that the corpus does not depend on what else is installed.
"""
DISTRIBUTIONS = {"sklearn": "scikit-learn", "PIL": "pillow"}
"""Names under which packages are installed, where they differ."""
LEFT_OUT = frozenset(
    (
        *("test", "tests", "testing", "_testing", "idle_test", "site-packages", "dist-packages"),
        *("_vendor", "vendor", "vendored", "externals", "extern"),
    )
)
"""Folders with tests, and with copies of other packages."""
SHORTEST = 75
"""Words that fill 128 positions."""
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
    folders = [(package, _folder(package)) for package in packages]
    return _stream(folders, min_words)


def installed_name(packages: tuple[str, ...] = PACKAGES) -> str:
    """Name the packages with their versions, as a report quotes them.

    Raises:
        CorpusError: If a package is not installed.
    """
    named = []
    for package in packages:
        _folder(package)
        if package == STANDARD:
            named.append(f"Python {platform.python_version()}")
        else:
            name = DISTRIBUTIONS.get(package, package)
            named.append(f"{name} {version(name)}")
    return f"docstrings of {', '.join(named)}"


def _folder(package: str) -> Path:
    if package == STANDARD:
        return Path(sysconfig.get_path("stdlib"))
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise CorpusError(f"installed text: package {package} is not installed; leave it out")
    return Path(next(iter(spec.submodule_search_locations)))


def _stream(folders: list[tuple[str, Path]], min_words: int) -> Iterator[Document]:
    repeats = Repeats()
    for package, folder in folders:
        for path in sorted(folder.rglob("*.py")):
            place = path.relative_to(folder)
            if LEFT_OUT.isdisjoint(place.parts):
                texts = _topics(path) if path.parent.name == "pydoc_data" else docstrings(path)
                name = ".".join((package, *place.with_suffix("").parts))
                yield from _documents(texts, name, min_words, repeats)


def _topics(path: Path) -> Iterator[str]:
    """Give the chapters of Python's manual, which the standard library keeps in a table."""
    for statement in ast.parse(path.read_bytes()).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
            yield from ast.literal_eval(statement.value).values()


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
