"""Pages made from saved results; no model is run, and nothing that could run one is imported."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from posprobe.core.provenance import command_line
from posprobe.report.full_report import FullReport
from posprobe.report.report import SECTIONS
from posprobe.report.saved import read_left_out, read_reports, saved_folders


def saved_report(folders: Sequence[Path]) -> FullReport:
    """Put what was saved in some folders on one page; no model is run.

    Args:
        folders: Folders of saved reports, or single JSON files.

    Raises:
        UserError: If one has none, or a file is damaged or of another version.
    """
    reports = [report for folder in folders for report in read_reports(folder)]
    order = list(SECTIONS)
    reports.sort(key=lambda report: order.index(report.measure))
    words = ["posprobe", "report", *(w for folder in folders for w in ("--from", str(folder)))]
    left_out = dict.fromkeys(told for folder in folders for told in read_left_out(folder))
    return FullReport(reports=tuple(reports), command=command_line(words), left_out=tuple(left_out))


def saved_reports(folder: Path) -> Iterator[tuple[Path, FullReport]]:
    """Go through a folder's saved results, or those of each folder in it, and make pages.

    Args:
        folder: A folder of saved reports, or one of such folders.

    Yields:
        Where the results lie, and their page.

    Raises:
        UserError: If there are none, or a file is damaged or of another version.
    """
    for found in saved_folders(folder):
        yield found, saved_report([found])
