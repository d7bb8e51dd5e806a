"""Documents in files with one JSON object per line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from posprobe.core.errors import CorpusError
from posprobe.data.documents import Document
from posprobe.data.lines import read_lines
from posprobe.data.plain_text import paragraphs_of


def read_jsonl(path: Path, *, column: str = "text") -> Iterator[Document]:
    """Read one document per line.

    Empty lines in the text end a paragraph; sentences are split by rules, since the
    format does not mark them. Empty lines in the file are skipped. An empty text is a
    document without paragraphs, so that it is counted as too short.

    Args:
        path: A UTF-8 file, compressed or not.
        column: The entry that holds the text.

    Raises:
        CorpusError: If a line is not a JSON object with that entry; the message names
            the line and the entries that exist.
    """
    for number, line in read_lines(path):
        if line.strip():
            place = f"{path}:{number}"
            yield Document(paragraphs_of(_text(line, column, place)), name=place)


def _text(line: str, column: str, place: str) -> str:
    row = _parse(line, place)
    if not isinstance(row, dict):
        raise CorpusError(f"corpus {place}: not a JSON object; one object a line is needed")
    if column not in row:
        raise CorpusError(
            f"corpus {place}: no column {column!r}; it has {', '.join(map(repr, row)) or 'none'}"
        )
    text = row[column]
    if not isinstance(text, str):
        raise CorpusError(f"corpus {place}: column {column!r} holds no text but {text!r:.40}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        # JSON can spell half of a surrogate pair, which no tokenizer can read.
        raise CorpusError(
            f"corpus {place}: column {column!r} has an unpaired surrogate at {error.start}"
        ) from None
    return text


def _parse(line: str, place: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"corpus {place}: not JSON ({error})") from None
