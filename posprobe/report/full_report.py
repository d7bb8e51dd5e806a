"""Several reports as one page: all measures of one checkpoint, or of several side by side."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from posprobe.core.errors import UserError
from posprobe.core.files import write_text
from posprobe.figures.ids import figure_id
from posprobe.report.checkpoints import listed
from posprobe.report.figure_files import save_figures
from posprobe.report.head import Head
from posprobe.report.names import brief_names, together
from posprobe.report.page import render_parts
from posprobe.report.part import Part
from posprobe.report.report import SCHEMA_VERSION, Report, in_frame
from posprobe.report.side_by_side import side_by_side
from posprobe.report.summary import summary
from posprobe.report.training import training_blocks


@dataclass(frozen=True, kw_only=True)
class FullReport:
    """All that was measured of one or several checkpoints.

    `report.html` is one page. Beside it lie the JSON and CSV files of each measure, named
    `<measure>` or, with several checkpoints, `<measure>-<checkpoint>`, and `report.json` with
    the command and with what was left out.

    Attributes:
        reports: One per measure, or per measure and checkpoint, in reading order.
        command: The command line that makes it.
        left_out: What was not measured and why, a sentence each.
        title: The heading. Empty: which checkpoints are shown.

    Raises:
        UserError: If there is no report.
    """

    reports: tuple[Report, ...]
    command: str
    left_out: tuple[str, ...] = ()
    title: str = ""

    def __post_init__(self) -> None:
        if not self.reports:
            raise UserError("report: nothing was measured")

    def save(self, directory: Path) -> tuple[Path, ...]:
        """Write the page and the data files of each measure, each whole or not at all.

        Args:
            directory: The folder; it is created.

        Returns:
            The path of the page, then those of the data files.
        """
        texts = {"report.html": self.html(), "report.json": self._told_json([]) + "\n"}
        for part, report in zip(self.parts(), self.reports, strict=True):
            texts |= {f"{part.key}.json": report.json() + "\n", f"{part.key}.csv": report.csv()}
        return tuple(write_text(directory / name, text) for name, text in texts.items())

    def save_page(self, directory: Path) -> Path:
        """Write the page alone, into a folder that has its data files already."""
        return write_text(directory / "report.html", self.html())

    def save_figures(self, directory: Path) -> tuple[Path, ...]:
        """Write each figure as PNG and SVG, 7 inches wide.

        Args:
            directory: The folder; it is created.
        """
        blocks = [block for part in self.parts() for block in part.blocks()]
        blocks += training_blocks(*(report.provenance for report in self.reports))
        return save_figures(blocks, directory)

    def html(self) -> str:
        """Return the page: one file that needs no network."""
        return self._page(interactive=True)

    def json(self) -> str:
        """Return all results with their provenance as strict JSON."""
        return self._told_json([report.json() for report in self.reports])

    def table(self) -> pd.DataFrame | None:
        """Return a few numbers of each checkpoint side by side; None for a single one."""
        found = side_by_side(self.parts(), self.names())
        return None if found is None else found.frame

    def headline(self) -> tuple[str, ...]:
        """Return three to six sentences with the numbers that matter, and what is left out."""
        return (*(sentence.text for sentence in summary(self.parts())), *self.left_out)

    def names(self) -> dict[str, str]:
        """Return what each checkpoint is called, by reference."""
        return brief_names(ref for report in self.reports for ref in _refs(report))

    def parts(self) -> tuple[Part, ...]:
        """Return what the page says, measure by measure."""
        counts = Counter(report.measure for report in self.reports)
        names = self.names()
        seen: Counter[str] = Counter()
        parts = []
        for report in self.reports:
            own = [names[ref] for ref in _refs(report)] if counts[report.measure] > 1 else []
            key = figure_id(report.measure, *own)
            seen[key] += 1
            parts.append(
                Part(
                    section=report.section(),
                    provenance=report.provenance,
                    key=key if seen[key] == 1 else f"{key}-{seen[key]}",
                    name=", ".join(own),
                )
            )
        return tuple(parts)

    def _told_json(self, reports: list[str]) -> str:
        told = {"command": self.command, "left_out": self.left_out}
        said = ", ".join(f'"{name}": {json.dumps(value)}' for name, value in told.items())
        joined = ",\n".join(reports)
        return f'{{"schema_version": {SCHEMA_VERSION}, {said}, "reports": [\n{joined}\n]}}'

    def _page(self, *, interactive: bool) -> str:
        parts, names = self.parts(), self.names()
        verb = "keeps" if len(names) == 1 else "keep"
        head = Head(
            title=self.title or f"How {together(list(names.values()))} {verb} track of position",
            summary=summary(parts),
            side_by_side=side_by_side(parts, names),
            remarks=self.left_out,
            command=self.command,
        )
        return render_parts(parts, head=head, data=self.json() + "\n", interactive=interactive)

    def _repr_html_(self) -> str:
        """Show the page in a notebook: in a frame, with drawings in place of Plotly."""
        return in_frame(self._page(interactive=False))


def _refs(report: Report) -> list[str]:
    return [item.source.ref for item in listed(report.provenance.checkpoints)]
