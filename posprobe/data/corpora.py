"""Opening a corpus by what a user calls it."""

from collections.abc import Iterator
from pathlib import Path

from posprobe.data.documents import Document
from posprobe.data.hub_datasets import is_hub_reference, read_hub_dataset
from posprobe.data.installed_docstrings import docstring_documents
from posprobe.data.installed_modules import SHORTEST, installed_name
from posprobe.data.installed_text import installed_documents
from posprobe.data.readers import read_documents

INSTALLED, DOCSTRINGS = "installed", "docstrings"
"""Names of what is on every machine: prose that was cleaned, and docstrings as they stand."""


def open_corpus(
    ref: str, *, column: str = "text", min_words: int = SHORTEST, annotated: bool = False
) -> tuple[str, Iterator[Document]]:
    """Open a corpus and say what it is.

    Only `fineweb` and `hf:…` ask the network.

    Args:
        ref: `installed` for the English prose of Python and its packages; `docstrings` for
            their docstrings as they stand; `fineweb` or
            `hf:NAME[:CONFIGURATION[:SPLIT]]` for a data set of the Hub; else a path that
            `read_documents` knows.
        column: Which column holds the text, in formats that have columns.
        min_words: Words of the shortest document of `installed` and `docstrings`.

        annotated: Whether to keep what a `.conllu` file says of each word.

    Returns:
        A name for the report, and the documents, read while they are asked for.

    Raises:
        CorpusError: If there is no such corpus, or, while reading, it is not what its
            name says.
    """
    if ref == INSTALLED:
        return f"prose of the {installed_name()}", installed_documents(min_words=min_words)
    if ref == DOCSTRINGS:
        return installed_name(), docstring_documents(min_words=min_words)
    if is_hub_reference(ref):
        return ref, read_hub_dataset(ref, column=column)
    path = Path(ref)
    return path.name, read_documents(path, column=column, annotated=annotated)
