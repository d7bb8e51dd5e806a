"""From two checkpoints, or two saved results, to a report of what differs."""

from pathlib import Path
from typing import Any

from posprobe.analysis.comparison import ComparisonResult, Difference
from posprobe.core.errors import UserError
from posprobe.core.provenance import Provenance
from posprobe.pipeline.comparing.measures import COMPARED
from posprobe.pipeline.comparing.sides import Sides
from posprobe.pipeline.opening import report_folder, short_names
from posprobe.pipeline.progress import Progress, silent
from posprobe.pipeline.record import provenance
from posprobe.pipeline.report_options import MEASURES, CompareOptions
from posprobe.pipeline.runs import Runs
from posprobe.report.checkpoints import listed
from posprobe.report.report import Report
from posprobe.report.saved import read_reports

Found = dict[str, Report]


def compare(a: str, b: str, *, progress: Progress = silent, **options: Any) -> Report:
    """Say what differs between two checkpoints, b − a, with intervals where there can be.

    Both run on the same documents or prompts, so that what makes one of them hard drops out.
    See `Difference` for how to read a row.

    Args:
        a: A checkpoint, or a saved result: a JSON file or a folder of them.
        b: The other, of the same kind.
        progress: Shows how far the work is.
        **options: The fields of `CompareOptions`; of these, saved results heed `measures`,
            `resamples` and `seed`.

    Raises:
        UserError: If a checkpoint or a file is not to be had, or they have nothing in common.
    """
    chosen = CompareOptions(**options)
    saved = [_is_saved(ref) for ref in (a, b)]
    if saved[0] != saved[1]:
        raise UserError("compare: name two checkpoints or two saved results, not one of each")
    if saved[0]:
        sides, left_out = [_read(ref) for ref in (a, b)], []
    else:
        sides, left_out = _measure((a, b), chosen, progress)
    names = _names((a, b), sides)
    differences: list[Difference] = []
    for measure in chosen.chosen_measures():
        if measure in sides[0] and measure in sides[1]:
            one, other = sides[0][measure], sides[1][measure]
            beside = Sides(a=one, b=other, seed=chosen.seed, draws=chosen.resamples)
            differences += COMPARED[measure](beside)
        elif measure in sides[0] or measure in sides[1]:
            lacking = names[measure in sides[0]]
            left_out.append(f"Left out: {measure}, which {lacking} does not have.")
    if not differences:
        raise UserError(" ".join([f"{a} and {b} have no number in common.", *left_out]))
    result = ComparisonResult(
        a=names[0], b=names[1], differences=tuple(differences), left_out=tuple(left_out)
    )
    return Report(
        measure="compare",
        result=result,
        provenance=_provenance((a, b), chosen, sides),
    )


def comparison_folder(report: Report) -> str:
    """Name the folder for a comparison, after what it calls its two sides.

    Args:
        report: What `compare` returned.
    """
    result = report.result
    assert isinstance(result, ComparisonResult)
    return report_folder([result.a, result.b])


def plan_compare(a: str, b: str, **options: Any) -> dict[str, Any]:
    """Say what would be compared, without running anything.

    Args:
        a: As for `compare`.
        b: As for `compare`.
        **options: The fields of `CompareOptions`.
    """
    chosen = CompareOptions(**options)
    facts: dict[str, Any] = {"measure": "compare"}
    for ref in (a, b):
        if _is_saved(ref):
            facts[ref] = [f"{measure}, saved" for measure in _read(ref)]
        else:
            facts |= Runs([ref], chosen, silent).plan()
    return facts


def _is_saved(ref: str) -> bool:
    path = Path(ref)
    if path.is_dir():
        return any((path / f"{name}.json").is_file() for name in MEASURES)
    return path.suffix == ".json" and path.is_file()


def _read(ref: str) -> Found:
    reports = [report for report in read_reports(Path(ref)) if report.measure in COMPARED]
    found = {report.measure: report for report in reports}
    alone = all(len(listed(report.provenance.checkpoints)) == 1 for report in reports)
    if len(found) < len(reports) or not alone:
        raise UserError(f"{ref}: has several checkpoints; name a result of one")
    return found


def _names(refs: tuple[str, str], sides: list[Found]) -> list[str]:
    """Call each side by its checkpoint; by what the user named if that is the same one."""
    owners = [_checkpoint(next(iter(side.values()))) for side in sides if side]
    return short_names(owners if len(set(owners)) == 2 else list(refs))


def _checkpoint(report: Report) -> str:
    return listed(report.provenance.checkpoints)[0].source.ref


def _measure(
    refs: tuple[str, str], chosen: CompareOptions, progress: Progress
) -> tuple[list[Found], list[str]]:
    sides, left_out = [], []
    for ref in refs:
        runs = Runs([ref], chosen, progress)
        reports = [report for name in chosen.chosen_measures() for report in runs.of(name)]
        sides.append({report.measure: report for report in reports})
        left_out += runs.left_out
    return sides, left_out


def _provenance(refs: tuple[str, str], chosen: CompareOptions, sides: list[Found]) -> Provenance:
    """Gather the sources of both sides; their own files say more of each."""
    own = [report.provenance for side in sides for report in side.values()]
    checkpoints = {source.ref: source for item in own for source in item.checkpoints}
    tokens = tuple(dict.fromkeys(source for item in own for source in item.tokens))
    return provenance("compare", chosen, list(checkpoints.values()), tokens, refs=refs)
