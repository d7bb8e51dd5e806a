"""The papers' claims with the measurements behind them, as one page and as a text."""

from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from posprobe.analysis.claims import Claim, ClaimsResult
from posprobe.core.files import write_text
from posprobe.figures.description import Figure
from posprobe.figures.matplotlib_renderer import save
from posprobe.report.claims import criteria_table, verdict_table
from posprobe.report.full_report import FullReport
from posprobe.report.report import Report
from posprobe.report.table import Table

FIGURES = "figures"
"""The folder of the figures, beside the text that shows them."""


@dataclass(frozen=True, kw_only=True)
class ClaimsReport:
    """The claims, and the reports that their numbers are from.

    Attributes:
        claims: The verdicts.
        evidence: The measurements.
        left_out: What was not measured and why, a sentence each.
    """

    claims: Report
    evidence: tuple[Report, ...]
    left_out: tuple[str, ...] = ()

    @property
    def page(self) -> FullReport:
        """The claims on top, then every measurement with its figures."""
        return FullReport(
            reports=(self.claims, *self.evidence),
            command=self.claims.provenance.command,
            left_out=self.left_out,
            title="How two papers' claims on position hold here",
        )

    def save(self, directory: Path) -> tuple[Path, ...]:
        """Write `claims.html`, `.json`, `.csv` and `.md`, and the figure behind each claim as SVG.

        Args:
            directory: The folder; it is created.

        Returns:
            The paths, the page first.
        """
        texts = {
            "html": self.page.html(),
            "json": self.claims.json() + "\n",
            "csv": self.claims.csv(),
            "md": self.markdown(),
        }
        written = [write_text(directory / f"claims.{end}", text) for end, text in texts.items()]
        drawn = [save(f, directory / FIGURES / f"{f.id}.svg") for f in self.figures()]
        return (*written, *drawn)

    def save_figures(self, directory: Path) -> tuple[Path, ...]:
        """Write each figure of the page as PNG and SVG, 7 inches wide.

        Args:
            directory: The folder; it is created.
        """
        return self.page.save_figures(directory)

    def figures(self) -> tuple[Figure, ...]:
        """Return the figures behind the claims, each once."""
        wanted = {claim.evidence for claim in self._result.claims}
        blocks = (block for part in self.page.parts() for block in part.blocks())
        return tuple(b.figure for b in blocks if b.figure is not None and b.figure.id in wanted)

    def table(self) -> pd.DataFrame:
        """Return the verdicts for a terminal."""
        return self.claims.table()

    def headline(self) -> tuple[str, ...]:
        """Return how many claims are shown, and which."""
        return self.claims.headline()

    def json(self) -> str:
        """Return the claims with their criteria and provenance as strict JSON."""
        return self.claims.json()

    def markdown(self) -> str:
        """Return the claims as a text with tables, for a repository."""
        result = self._result
        verdicts, criteria = verdict_table(result), criteria_table(result)
        lines = [
            "# The papers' claims, measured",
            "",
            " ".join(self.headline()),
            "",
            *_markdown(verdicts),
            "",
            *(f"- {note}" for note in verdicts.notes),
            "",
            result.rule,
            "",
            *_markdown(criteria),
            "",
            *(f"![{figure.alt}]({FIGURES}/{figure.id}.svg)\n" for figure in self.figures()),
            f"Made by `{self.claims.provenance.command}`.",
        ]
        return "\n".join(lines) + "\n"

    @property
    def _result(self) -> ClaimsResult:
        result = self.claims.result
        assert isinstance(result, ClaimsResult)
        return result

    def _repr_html_(self) -> str:
        return self.page._repr_html_()


def anchored(claims: tuple[Claim, ...], evidence: tuple[Report, ...]) -> tuple[Claim, ...]:
    """Turn what each claim calls its figure into the anchor that it has on the page.

    A page with two reports of one measure names the figures of each after its checkpoints.

    Args:
        claims: Claims whose evidence is named as on the page of the measure alone.
        evidence: The measurements, as the page has them.
    """
    if not evidence:
        return claims
    anchors: dict[tuple[str, str], str] = {}
    parts = FullReport(reports=evidence, command="").parts()
    for part, report in zip(parts, evidence, strict=True):
        for own, there in zip(part.section.blocks, part.blocks(), strict=True):
            if own.figure is not None and there.figure is not None:
                anchors[report.provenance.command, own.figure.id] = there.figure.id
    return tuple(replace(claim, evidence=_anchor(claim, anchors)) for claim in claims)


def _anchor(claim: Claim, anchors: dict[tuple[str, str], str]) -> str:
    found = (anchors.get((command, claim.evidence)) for command in claim.commands)
    return next((anchor for anchor in found if anchor), "")


def _markdown(table: Table) -> list[str]:
    names = [str(name) for name in table.frame.columns]
    rows = [names, ["---"] * len(names), *table.cells()]
    return [f"| {' | '.join(cell.replace('|', '·') for cell in row)} |" for row in rows]
