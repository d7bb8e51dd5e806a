"""Where what a command found goes: first to the terminal, then into files."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from posprobe.report.claims_report import ClaimsReport
    from posprobe.report.full_report import FullReport
    from posprobe.report.report import Report
    from posprobe.report.sweep_report import SweepReport

    Made = Report | FullReport | ClaimsReport | SweepReport


@dataclass(frozen=True)
class Output:
    """What a user chose of it.

    Attributes:
        out: Folder of the reports.
        figures: Folder of the figures; None: they are on the page only.
        as_json: Whether stdout gets JSON in place of a table.
    """

    out: Path
    figures: Path | None
    as_json: bool

    def require_writable(self) -> None:
        """Check the folders before any work is done.

        Raises:
            UserError: If nothing can be written there.
        """
        from posprobe.core.files import require_writable

        require_writable(self.out, "--out")
        if self.figures is not None:
            require_writable(self.figures, "--figures")

    def plan(self, facts: dict[str, Any]) -> None:
        """Print what would run."""
        from posprobe import terminal

        terminal.print_json(facts) if self.as_json else terminal.print_facts(facts)

    def deliver(self, made: "Made", folder: str = "") -> None:
        """Print what was found, and write it with its figures and the index of the reports.

        It is printed first: whatever happens while it is written, it has been seen.

        Args:
            made: The report.
            folder: Its folder in that of the reports; empty: it lies beside the index.
        """
        from posprobe.report.index import write_index

        self._tell(made)
        self._save(made, made.save(self.out / folder))
        write_index(self.out)

    def deliver_page(self, made: "Report | FullReport", folder: Path) -> None:
        """Print what was found, and write its page anew beside its data."""
        from posprobe.report.index import NAME, write_index

        self._tell(made)
        self._save(made, (made.save_page(folder),))
        if (folder.parent / NAME).exists():
            write_index(folder.parent)

    def _tell(self, made: "Made") -> None:
        from posprobe import terminal

        if self.as_json:
            sys.stdout.write(made.json() + "\n")
            return
        table = made.table()
        if table is None:
            terminal.print_sentences(made.headline())
        else:
            terminal.print_table(table, made.headline())

    def _save(self, made: "Made", paths: tuple[Path, ...]) -> None:
        from posprobe.terminal import print_paths

        if self.figures is not None:
            paths = (*made.save_figures(self.figures), *paths)
        print_paths(paths, to_stderr=self.as_json)
