"""A sweep as a page and as one table of all its numbers."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from posprobe.core.files import atomic_path
from posprobe.report.report import Report


@dataclass(frozen=True, kw_only=True)
class SweepReport:
    """The headline numbers with their page, and every number of every cell.

    Attributes:
        report: The headline numbers.
        numbers: All numbers: one row per number, one column per axis, `measure` and `failed`
            beside the columns of each measure's own table.
    """

    report: Report
    numbers: pd.DataFrame

    @property
    def failed(self) -> tuple[str, ...]:
        """Why cells failed, one reason each."""
        reasons = self.numbers["failed"].dropna()
        return tuple(str(reason) for reason in reasons)

    def save(self, directory: Path) -> tuple[Path, ...]:
        """Write the page, the JSON and the CSV of the headline numbers, and `sweep.parquet`.

        Args:
            directory: The folder; it is created.
        """
        with atomic_path(directory / "sweep.parquet") as temporary:
            self.numbers.to_parquet(temporary, index=False)
        return (*self.report.save(directory), directory / "sweep.parquet")

    def save_page(self, directory: Path) -> Path:
        """Write the page alone."""
        return self.report.save_page(directory)

    def save_figures(self, directory: Path) -> tuple[Path, ...]:
        """Write each figure as PNG and SVG."""
        return self.report.save_figures(directory)

    def json(self) -> str:
        """Return the headline numbers and their provenance as strict JSON."""
        return self.report.json()

    def table(self) -> pd.DataFrame:
        """Return the few numbers that a terminal has room for."""
        return self.report.table()

    def headline(self) -> tuple[str, ...]:
        """Return a few sentences with the numbers that matter."""
        return self.report.headline()

    def _repr_html_(self) -> str:
        return self.report._repr_html_()
