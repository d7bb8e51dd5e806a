"""From a grid of settings to one table and one page."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from logging import getLogger
from pathlib import Path
from typing import Any

from posprobe.analysis.sweep import SweepCell, SweepResult
from posprobe.core.errors import UserError
from posprobe.core.provenance import Provenance, command_line
from posprobe.pipeline.sweeping.job import Job, Outcome, look
from posprobe.pipeline.sweeping.local import run_local
from posprobe.pipeline.sweeping.numbers import sweep_points, sweep_table
from posprobe.pipeline.sweeping.parts import Run, count_parts, sum_parts, told
from posprobe.pipeline.sweeping.spec import Spec, read_spec
from posprobe.report.report import Report
from posprobe.report.sweep_report import SweepReport

LOG = getLogger("posprobe")


def sweep(
    spec: str,
    *,
    jobs: int | None = None,
    threads: int = 1,
    scheduler: str | None = None,
    no_cache: bool = False,
) -> SweepReport:
    """Measure every cell of a grid, each by itself; one that is in the cache is not run again.

    Where the spec cuts the corpus of a cell into parts, these are jobs as well: they run before
    the cells, which then only merge what the parts have summed. The table is the same whatever
    runs the jobs and however many at once.

    Args:
        spec: A TOML file, or the name of a spec that ships; see `read_spec`.
        jobs: Processes at once. None: as many as there are cores.
        threads: Threads of each.
        scheduler: `local`, `slurm` or an address, to run on Dask. None: processes of joblib.
        no_cache: Whether cells in the cache are measured again.

    Raises:
        UserError: If the spec or the scheduler is not to be had. A cell that fails is a row of
            the table.
    """
    read = read_spec(spec)
    found = _jobs(read, threads=threads, no_cache=no_cache)
    outcomes: dict[int, Outcome] = {}
    for index, job in enumerate(found):
        known = look(job)
        if known is not None:
            outcomes[index] = known
    left = [index for index in range(len(found)) if index not in outcomes]
    LOG.info("%d cells: %d in the cache, %d to run", len(found), _count(outcomes), len(left))
    with _engine([found[i] for i in left], jobs=jobs, scheduler=scheduler) as run:
        failed = sum_parts([found[i] for i in left], run)
        outcomes |= {left[place]: outcome for place, outcome in failed.items()}
        left = [index for index in left if index not in outcomes]
        for done, (place, outcome) in enumerate(run([found[i] for i in left]), start=1):
            outcomes[left[place]] = outcome
            LOG.info("%d of %d: %s", done, len(left), told(found[left[place]], outcome))
    return _report(spec, read, [outcomes[index] for index in range(len(found))], threads)


def plan_sweep(spec: str, *, threads: int = 1, no_cache: bool = False) -> dict[str, Any]:
    """Say how many cells there are and how many are finished, without running any.

    Args:
        spec: As for `sweep`.
        threads: As for `sweep`.
        no_cache: As for `sweep`.
    """
    read = read_spec(spec)
    jobs = _jobs(read, threads=threads, no_cache=no_cache)
    known = [look(job) for job in jobs]
    parts = count_parts([job for job, outcome in zip(jobs, known, strict=True) if outcome is None])
    failing = [outcome.failed for outcome in known if outcome and outcome.failed]
    return {
        "measure": "sweep",
        "report": sweep_folder(spec),
        "axes": list(read.axes),
        "cells": len(known),
        "finished": sum(outcome is not None and not outcome.failed for outcome in known),
        **({"parts to sum": parts} if parts else {}),
        **({"would fail": failing} if failing else {}),
    }


def sweep_folder(spec: str) -> str:
    """Name the folder for the report of a sweep.

    Args:
        spec: As for `sweep`.

    >>> sweep_folder("grids/mine.toml")
    'sweep-mine'
    """
    return f"sweep-{Path(spec).stem}"


def _jobs(read: Spec, *, threads: int, no_cache: bool) -> list[Job]:
    return [Job.of(cell, threads=threads, no_cache=no_cache) for cell in read.cells]


def _count(outcomes: dict[int, Outcome]) -> int:
    return sum(outcome.failed is None for outcome in outcomes.values())


@contextmanager
def _engine(left: list[Job], *, jobs: int | None, scheduler: str | None) -> Iterator[Run]:
    """Make ready what runs jobs: processes of this machine, or a cluster that stays open."""
    if jobs is not None and jobs < 1:
        raise UserError(f"--jobs {jobs}: must be at least 1")
    workers = min(jobs or os.cpu_count() or 1, sum(job.cell.parts for job in left))
    if scheduler is None or not left:
        yield partial(run_local, workers=workers)
        return
    from posprobe.pipeline.sweeping.dask import open_dask

    with open_dask(scheduler=scheduler, workers=workers, threads=left[0].threads) as run:
        yield run


def _report(spec: str, read: Spec, outcomes: list[Outcome], threads: int) -> SweepReport:
    cells = tuple(
        SweepCell(
            measure=cell.measure,
            at=cell.at,
            points=sweep_points(outcome.report.result) if outcome.report else (),
            failed=outcome.failed,
        )
        for cell, outcome in zip(read.cells, outcomes, strict=True)
    )
    own = [outcome.report.provenance for outcome in outcomes if outcome.report]
    words = ["posprobe", "sweep", spec, *(["--threads", str(threads)] if threads > 1 else [])]
    provenance = Provenance(
        command=command_line(words),
        checkpoints=tuple({source.ref: source for p in own for source in p.checkpoints}.values()),
        tokens=tuple({(t.name, t.sha256): t for p in own for t in p.tokens}.values()),
        seed=own[0].seed if own else 0,
        device=own[0].device if own else "cpu",
        dtype=own[0].dtype if own else "float32",
        threads=threads,
        options={"spec": read.text},
    )
    return SweepReport(
        report=Report(
            measure="sweep",
            result=SweepResult(title=read.title, axes=read.axes, cells=cells),
            provenance=provenance,
        ),
        numbers=sweep_table(read.cells, outcomes, read.axes),
    )
