"""A result with its provenance, ready to be read, kept and made again."""

import html
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from posprobe.core.errors import UserError
from posprobe.core.files import strict_json, write_text
from posprobe.core.provenance import Provenance
from posprobe.core.result import Result, plain
from posprobe.report.adjacency import adjacency_section
from posprobe.report.claims import claims_section
from posprobe.report.comparison import comparison_section
from posprobe.report.decomposition import decomposition_section
from posprobe.report.figure_files import save_figures
from posprobe.report.heads import heads_section
from posprobe.report.holmes import holmes_section
from posprobe.report.manifold import manifold_section
from posprobe.report.page import render_page
from posprobe.report.probes import probes_section
from posprobe.report.section import Section
from posprobe.report.sweep import sweep_section
from posprobe.report.training import training_blocks

SCHEMA_VERSION = 1
"""Version of the JSON files; a change that breaks readers raises it."""

SECTIONS: dict[str, Callable[[Any], Section]] = {
    "manifold": manifold_section,
    "heads": heads_section,
    "adjacency": adjacency_section,
    "probe": probes_section,
    "decomposition": decomposition_section,
    "holmes": holmes_section,
    "compare": comparison_section,
    "claims": claims_section,
    "sweep": sweep_section,
}
"""What each measure says on a page."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """A result with its provenance.

    `<measure>.json` has four keys. `schema_version` is an integer. `measure` is the name.
    `result` has the fields of the measure's result class (`ManifoldResult`, `ProbesResult`, …,
    whose docstrings explain each), arrays as nested lists in the order of their axes, and null
    for what is undefined; equal numbers give equal bytes. `provenance` has the fields of
    `posprobe.core.provenance.Provenance`.

    `<measure>.csv` has one row per number; `COLUMNS` in the module of the measure's section,
    such as `posprobe.report.manifold`, says what each column holds, and so does the page.

    Attributes:
        measure: A name from `SECTIONS`.
        result: The numbers.
        provenance: Where they come from.

    Raises:
        UserError: If no measure has that name.
    """

    measure: str
    result: Result
    provenance: Provenance

    def __post_init__(self) -> None:
        if self.measure not in SECTIONS:
            known = ", ".join(SECTIONS)
            raise UserError(f"no report for measure={self.measure!r}: choose among {known}")

    def save(self, directory: Path) -> tuple[Path, ...]:
        """Write the page, the JSON file and the CSV file, each whole or not at all.

        Args:
            directory: The folder; it is created.

        Returns:
            The paths of the page, the JSON file and the CSV file.
        """
        # Everything is made before anything is written: a failure leaves old files alone.
        texts = {"html": self.html(), "json": self.json() + "\n", "csv": self.csv()}
        return tuple(
            write_text(directory / f"{self.measure}.{suffix}", text)
            for suffix, text in texts.items()
        )

    def save_page(self, directory: Path) -> Path:
        """Write the page alone, into a folder that has its data files already."""
        return write_text(directory / f"{self.measure}.html", self.html())

    def save_figures(self, directory: Path) -> tuple[Path, ...]:
        """Write each figure as PNG and SVG, 7 inches wide.

        Args:
            directory: The folder; it is created.
        """
        blocks = (*self.section().blocks, *training_blocks(self.provenance))
        return save_figures(blocks, directory)

    def section(self) -> Section:
        """Return what a page says of the result."""
        return SECTIONS[self.measure](self.result)

    def html(self) -> str:
        """Return the page: one file that needs no network."""
        return render_page(self.section(), self.provenance, data=self.json() + "\n")

    def json(self) -> str:
        """Return the result and its provenance as strict JSON."""
        return strict_json(
            {
                "schema_version": SCHEMA_VERSION,
                "measure": self.measure,
                "result": self.result.to_dict(),
                "provenance": plain(self.provenance),
            }
        )

    def csv(self) -> str:
        """Return the tidy table, one row per number, as CSV."""
        return self.result.to_frame().to_csv(index=False, lineterminator="\n")

    def table(self) -> pd.DataFrame:
        """Return the few numbers that a terminal has room for."""
        return self.section().overview

    def headline(self) -> tuple[str, ...]:
        """Return two to four sentences with the numbers that matter."""
        return self.section().headline

    def _repr_html_(self) -> str:
        """Show the page in a notebook: in a frame, with drawings in place of Plotly."""
        return in_frame(render_page(self.section(), self.provenance, interactive=False))


def in_frame(page: str) -> str:
    """Put a page into a frame of a notebook, whose styles it shall not meet."""
    style = "width:100%;height:720px;border:0"
    return f'<iframe style="{style}" srcdoc="{html.escape(page)}"></iframe>'
