"""What every measure returns."""

import json
from abc import ABC, abstractmethod
from dataclasses import fields, is_dataclass
from html import escape
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from posprobe.core.files import strict_json
from posprobe.core.reading import from_plain

_R = TypeVar("_R", bound="Result")


class Result(ABC):
    """The numbers of one measure: frozen, free of models, figures and provenance.

    Subclasses are frozen dataclasses whose fields are numbers, strings, NumPy arrays,
    or (tuples or dicts of) further dataclasses. An undefined number is NaN in Python
    and null in JSON, and a field beside it says why.
    """

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Return the tidy table: one row per number, one column per axis."""

    @abstractmethod
    def summary(self) -> dict[str, Any]:
        """Return the few numbers a reader wants first."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain Python values."""
        return plain(self)

    def to_json(self) -> str:
        """Return the fields as strict JSON, the same bytes for the same numbers."""
        return strict_json(self.to_dict())

    @classmethod
    def from_json(cls: type[_R], text: str) -> _R:
        """Read what `to_json` wrote.

        Args:
            text: The JSON of a result of this class.

        Raises:
            UserError: If a field is missing, unknown or of another type; names it.
        """
        return from_plain(cls, json.loads(text), where=cls.__name__)

    def _repr_html_(self) -> str:
        """Show the summary in a notebook, in place of thousands of numbers."""
        cells = "".join(
            f'<tr><th style="text-align:left">{escape(name)}</th><td>{escape(_brief(value))}</td>'
            for name, value in self.summary().items()
        )
        return f"<table><caption>{type(self).__name__}</caption>{cells}</table>"


def _brief(value: Any) -> str:
    match value:
        case dict():
            return ", ".join(f"{name} {_brief(item)}" for name, item in value.items())
        case float():
            return f"{value:.4g}"
        case _:
            return "none" if value is None else str(value)


def plain(value: Any) -> Any:
    """Turn dataclasses, arrays and NumPy scalars into dicts, lists and numbers.

    >>> plain({"a": np.arange(2), "b": np.float64(0.5)})
    {'a': [0, 1], 'b': 0.5}
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value
