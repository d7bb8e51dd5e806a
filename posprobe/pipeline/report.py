"""From checkpoints to one page of all measures that apply to them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from posprobe.core.errors import UserError
from posprobe.pipeline.opening import report_folder
from posprobe.pipeline.progress import Progress, silent
from posprobe.pipeline.record import command_for
from posprobe.pipeline.report_options import ReportOptions
from posprobe.pipeline.runs import Runs
from posprobe.report.full_report import FullReport
from posprobe.report.saved import read_reports


def full_report(*refs: str, progress: Progress = silent, **options: Any) -> FullReport:
    """Measure all that applies to some checkpoints, for one page.

    A measure that does not apply to a checkpoint is left out, and the page says so. With
    several checkpoints their numbers stand side by side.

    Args:
        *refs: Checkpoints.
        progress: Shows how far the work is.
        **options: The fields of `ReportOptions`.

    Raises:
        UserError: If a checkpoint or the corpus is not to be had, or nothing applies.
    """
    if not refs:
        raise UserError("report: name at least one checkpoint")
    chosen = ReportOptions(**options)
    runs = Runs(refs, chosen, progress)
    reports = tuple(found for name in chosen.chosen_measures() for found in runs.of(name))
    if not reports:
        raise UserError(f"report: nothing was measured. {' '.join(runs.left_out)}")
    return FullReport(
        reports=reports,
        left_out=tuple(runs.left_out),
        command=command_for("report", refs, chosen),
    )


def plan_report(refs: Sequence[str], saved: Sequence[Path], **options: Any) -> dict[str, Any]:
    """Say what a page would have, without running anything.

    Args:
        refs: The checkpoints.
        saved: Folders of saved reports, in place of checkpoints.
        **options: The fields of `ReportOptions`.
    """
    chosen = ReportOptions(**options)
    if saved:
        read = [report for folder in saved for report in read_reports(folder)]
        return {"measure": "report", "reads": [report.measure for report in read]}
    runs = Runs(refs, chosen, silent)
    return {"measure": "report", "report": report_folder(list(refs)), **runs.plan()}
