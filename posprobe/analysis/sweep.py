"""A grid of settings and what each was measured to give: the result."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from posprobe.core.result import Result

Setting = bool | int | float | str
"""A value on an axis of the grid."""


@dataclass(frozen=True, kw_only=True)
class SweepPoint:
    """One headline number of a cell.

    Attributes:
        quantity: What the number is, in words.
        condition: Which weights and input, such as `checkpoint` or `random init`.
        place: Site without its layer, stream, term or table.
        layer: Layer, −1 for the token embedding; None where there is none.
        value: The number; NaN where undefined.
        low: Lower end of its 95 % interval; NaN where there is none.
        high: Its upper end.
    """

    quantity: str
    condition: str
    place: str
    layer: int | None
    value: float
    low: float = float("nan")
    high: float = float("nan")


@dataclass(frozen=True, kw_only=True)
class SweepCell:
    """One measure at one setting.

    Attributes:
        measure: Which measure.
        at: The setting: a value for each axis of its grid.
        points: The headline numbers.
        failed: Why there are none; else None.
    """

    measure: str
    at: dict[str, Setting]
    points: tuple[SweepPoint, ...] = ()
    failed: str | None = None


@dataclass(frozen=True, kw_only=True)
class SweepResult(Result):
    """The headline numbers over a grid of settings.

    Attributes:
        title: What the grid is about.
        axes: Names of the axes; a cell of a grid without one of them has no value for it.
        cells: One per measure and setting, in the order of the grid.
    """

    title: str
    axes: tuple[str, ...]
    cells: tuple[SweepCell, ...]

    @property
    def varying(self) -> tuple[str, ...]:
        """The axes on which cells differ."""
        return tuple(
            axis for axis in self.axes if len({repr(cell.at.get(axis)) for cell in self.cells}) > 1
        )

    @property
    def failed(self) -> tuple[SweepCell, ...]:
        """The cells without numbers."""
        return tuple(cell for cell in self.cells if cell.failed is not None)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number: the value of each point and the ends of its interval."""
        place = ("quantity", "condition", "place", "layer")
        rows: list[dict[str, Any]] = []
        for cell in self.cells:
            shared = {"measure": cell.measure, **{axis: cell.at.get(axis) for axis in self.axes}}
            if cell.failed is not None:
                rows.append({**shared, "failed": cell.failed})
            for point in cell.points:
                where = shared | {name: getattr(point, name) for name in place}
                for statistic in ("value", "low", "high"):
                    number = {"statistic": statistic, "value": getattr(point, statistic)}
                    rows.append(where | number)
        columns = ["measure", *self.axes, *place, "statistic", "value", "failed"]
        frame = pd.DataFrame(rows, columns=columns)
        return frame.astype({"layer": "Int64", "value": "float64"})

    def summary(self) -> dict[str, Any]:
        """Return how many cells there are, and how many failed."""
        return {
            "title": self.title,
            "axes": len(self.varying),
            "cells": len(self.cells),
            "failed": len(self.failed),
        }


def setting_words(at: dict[str, Any]) -> str:
    """Write a setting as a few words; a checkpoint speaks for itself.

    Args:
        at: A value for each axis.

    >>> setting_words({"layers": 6, "init_std": 0.02}), setting_words({"checkpoint": "mine"})
    ('layers 6, init std 0.02', 'mine')
    """
    return ", ".join(_words(name, value) for name, value in at.items())


def _words(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return name.replace("_", " ") if value else f"no {name.replace('_', ' ')}"
    return str(value) if name == "checkpoint" else f"{name.replace('_', ' ')} {value}"
