"""Reading the rows of a Holmes data set."""

import ast
from pathlib import Path
from typing import Any

from posprobe.core.errors import CorpusError
from posprobe.data.holmes.dataset import Part, Span


class RowReader:
    """Turns the `inputs` and `context` of each row into the parts of a sample."""

    def __init__(self, path: Path, texts: dict[str, int]) -> None:
        """Begin with the first row.

        Args:
            path: The file, for messages.
            texts: The number of each text met; it grows.
        """
        self._path, self._texts = path, texts
        self._parts: int | None = None

    def sample(self, inputs: str, context: str, row: int) -> tuple[Part, ...]:
        """Read one row.

        Raises:
            CorpusError: If it is not of the form that `read_dataset` explains, or has another
                number of inputs than the rows before.
        """
        items = self._list(inputs, "inputs", row)
        if isinstance(items[0], list | tuple):
            parts = self._places(items, self._list(context, "context", row), row)
        else:
            parts = tuple((Span(self._text(item, "inputs", row)),) for item in items)
        if self._parts is None:
            self._parts = len(parts)
        if len(parts) != self._parts:
            raise self._error(row, f"{len(parts)} inputs where the rows before have {self._parts}")
        return parts

    def _places(self, items: list[Any], texts: list[Any], row: int) -> tuple[Part, ...]:
        spans: dict[int, list[Span]] = {}
        for place, item in enumerate(items):
            if not isinstance(item, list | tuple) or len(item) not in (4, 5):
                raise self._error(
                    row,
                    f"input {item!r:.60} is not (words, text, first character, last character + 1)",
                )
            text, start, end = item[1:4]
            if not (_is_whole(text) and _is_whole(start) and _is_whole(end)):
                raise self._error(row, f"input {item!r:.60}: its places are not whole numbers")
            if not (0 <= text < len(texts) and 0 <= start < end):
                raise self._error(
                    row, f"input {item!r:.60}: no such place in a context of {len(texts)} texts"
                )
            group = item[4] if len(item) == 5 else place
            number = self._text(texts[text], "context", row)
            spans.setdefault(group, []).append(Span(number, start, end))
        return tuple(tuple(spans[group]) for group in sorted(spans))

    def _list(self, literal: str, column: str, row: int) -> list[Any]:
        try:
            value = ast.literal_eval(literal)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            value = None
        if not isinstance(value, list | tuple) or not value:
            raise self._error(row, f"{column} is no list: {literal!r:.60}")
        return list(value)

    def _text(self, value: Any, column: str, row: int) -> int:
        if not isinstance(value, str) or not value.strip():
            raise self._error(row, f"{column} holds {value!r:.60} in place of a text")
        return self._texts.setdefault(value, len(self._texts))

    def _error(self, row: int, what: str) -> CorpusError:
        return CorpusError(f"{self._path}: row {row}: {what}; mend or remove the row")


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
