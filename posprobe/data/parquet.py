"""Documents in Parquet files."""

from collections.abc import Iterator
from pathlib import Path

from posprobe.core.errors import CorpusError
from posprobe.data.documents import Document
from posprobe.data.plain_text import paragraphs_of

ROWS = 256
"""Rows read at once, so that memory does not grow with the file."""


def read_parquet(path: Path, *, column: str = "text") -> Iterator[Document]:
    """Read one document per row; only the text column is read, a few rows at a time.

    Empty lines in the text end a paragraph; sentences are split by rules. An empty text
    is a document without paragraphs, so that it is counted as too short.

    Args:
        path: A Parquet file.
        column: The column that holds the text.

    Raises:
        CorpusError: If the file is not Parquet, has no such column, or a row holds no
            text; the message names the row, from 0, or the columns that exist.
    """
    # Loaded here, since few commands read Parquet.
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    row = 0
    try:
        with ParquetFile(path) as file:
            names = file.schema_arrow.names
            if column not in names:
                raise CorpusError(
                    f"corpus {path}: no column {column!r}; it has {', '.join(map(repr, names))}"
                )
            for batch in file.iter_batches(batch_size=ROWS, columns=[column]):
                for text in batch.column(0).to_pylist():
                    yield Document(_paragraphs(text, column, path, row), name=f"{path}:{row}")
                    row += 1
    except (OSError, ArrowException) as error:
        raise CorpusError(f"corpus {path}: cannot be read as Parquet ({error})") from error


def _paragraphs(text: object, column: str, path: Path, row: int) -> tuple[tuple[str, ...], ...]:
    if not isinstance(text, str):
        raise CorpusError(f"corpus {path}:{row}: column {column!r} holds no text but {text!r:.40}")
    return paragraphs_of(text)
