"""Documents from data sets of the Hugging Face Hub, read over the network."""

from collections.abc import Iterator
from contextlib import contextmanager
from logging import ERROR, getLogger
from typing import Any

from posprobe.core.errors import CorpusError
from posprobe.data.documents import Document
from posprobe.data.plain_text import paragraphs_of

PREFIX = "hf:"
NAMED = {"fineweb": "hf:HuggingFaceFW/fineweb:sample-10BT"}
"""Data sets with a name of their own; FineWeb is what the models of A were trained on."""


def is_hub_reference(ref: str) -> bool:
    """Say whether a corpus is to be read from the Hub.

    >>> is_hub_reference("fineweb"), is_hub_reference("notes.txt")
    (True, False)
    """
    return ref in NAMED or ref.startswith(PREFIX)


def read_hub_dataset(ref: str, *, column: str = "text") -> Iterator[Document]:
    """Stream the rows of a data set; nothing is stored.

    Empty lines in the text end a paragraph; sentences are split by rules.

    Args:
        ref: `fineweb`, or `hf:NAME[:CONFIGURATION[:SPLIT]]`. Where the configuration is
            left out or empty, the data set's default is read; the split is `train` unless
            another is named: `hf:Salesforce/wikitext:wikitext-2-raw-v1:test`,
            `hf:stas/openwebtext-10k`, `hf:owner/name::validation`.
        column: The column that holds the text.

    Returns:
        The documents, read while they are asked for.

    Raises:
        CorpusError: If the reference is not of that form, the data set cannot be opened
            or its stream breaks off (there is no network, or no such data set,
            configuration, split or column).
    """
    name, configuration, split = _parts(ref)
    rows = _rows(ref, name, configuration, split)
    return (
        Document(paragraphs_of(_text(row, column, f"{ref} row {index}")), name=f"{ref} row {index}")
        for index, row in enumerate(rows)
    )


def _parts(ref: str) -> tuple[str, str | None, str]:
    name, *rest = NAMED.get(ref, ref).removeprefix(PREFIX).split(":")
    if not name or len(rest) > 2:
        raise CorpusError(
            f"corpus {ref}: not a data set; write hf:NAME, hf:NAME:CONFIGURATION or "
            "hf:NAME:CONFIGURATION:SPLIT"
        )
    configuration, split = [*rest, "", ""][:2]
    return name, configuration or None, split or "train"


def _rows(ref: str, name: str, configuration: str | None, split: str) -> Iterator[dict[str, Any]]:
    # Loaded here, since it takes a second and only this reader needs it.
    from datasets import load_dataset

    try:
        with _quiet():
            rows = load_dataset(name, configuration, split=split, streaming=True)
        yield from rows
    except Exception as error:  # the library passes on whatever its transports raise
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise CorpusError(
            f"corpus {ref}: cannot be read from the Hub ({reason}); check the name and the network"
        ) from error


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep a Hub that cannot be reached from being told of six times before the error."""
    logger = getLogger("huggingface_hub")
    before = logger.level
    logger.setLevel(ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def _text(row: dict[str, Any], column: str, place: str) -> str:
    if column not in row:
        raise CorpusError(
            f"corpus {place}: no column {column!r}; it has {', '.join(map(repr, row)) or 'none'}"
        )
    text = row[column]
    if not isinstance(text, str):
        raise CorpusError(f"corpus {place}: column {column!r} holds no text but {text!r:.40}")
    return text
