"""A table as a reader sees it: rounded, named, and with its gaps explained."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

OPEN_ROWS = 21
"""Most rows of a table that is shown without being asked for."""

PRINTED_ROWS = 120
"""Most rows of a table that is printed; a longer one is for the data files."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """Numbers beside a figure.

    Attributes:
        frame: The numbers, unrounded; column names are read by people.
        caption: What the rows are.
        heads: How many leading columns name the row.
        notes: What must be said of single rows, such as why they are undefined.
    """

    frame: pd.DataFrame
    caption: str
    heads: int = 1
    notes: tuple[str, ...] = ()

    @property
    def long(self) -> bool:
        """Whether a page folds the table away."""
        return len(self.frame) > OPEN_ROWS

    @property
    def endless(self) -> bool:
        """Whether the table is too long for paper."""
        return len(self.frame) > PRINTED_ROWS

    def cells(self) -> list[list[str]]:
        """Return the rows as text, each column rounded alike."""
        columns = [_texts(self.frame[name].tolist()) for name in self.frame]
        return [list(row) for row in zip(*columns, strict=True)]

    def csv(self) -> str:
        """Return the numbers unrounded, as CSV; what is undefined or not there is empty."""
        return self.frame.to_csv(index=False, lineterminator="\n")

    def numeric(self) -> list[bool]:
        """Return for each column whether it holds numbers."""
        return [all(_is_number(value) for value in self.frame[name]) for name in self.frame]


def number_format(values: list[float]) -> Callable[[float], str]:
    """Choose how to write the numbers of a column: three decimals, fewer for large numbers.

    >>> number_format([0.5, 0.25])(0.123456)
    '0.123'
    >>> number_format([12345.6])(-12345.6)
    '−12,346'
    >>> number_format([2e-7])(2e-7)
    '2.00e−07'
    """
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if largest and largest < 1e-3:
        return lambda value: _signed(f"{value:.2e}")
    digits = 3
    if largest:
        whole = math.floor(math.log10(largest))
        digits = 2 - whole if largest < 0.1 else max(0, min(3, 4 - whole))
    return lambda value: _signed(f"{value:,.{digits}f}")


def _signed(text: str) -> str:
    if text.startswith("-") and not text.strip("-0.,"):
        text = text[1:]
    return text.replace("-", "−")


def _texts(values: list[Any]) -> list[str]:
    floats = [value for value in values if isinstance(value, float)]
    write = number_format(floats)
    return [_text(value, write) for value in values]


def _text(value: Any, write: Callable[[float], str]) -> str:
    if value is None or value is pd.NA:
        return ""
    if isinstance(value, float):
        return write(value) if math.isfinite(value) else "undefined"
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return _signed(f"{value:,}")
    return str(value)


def _is_number(value: Any) -> bool:
    return value is None or value is pd.NA or isinstance(value, int | float | np.number)
