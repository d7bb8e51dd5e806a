"""One cell, or one part of its corpus, as a job for any process that can import posprobe."""

import os
import time
from collections.abc import Iterator
from contextlib import chdir, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import torch
from threadpoolctl import threadpool_limits

from posprobe.core.errors import UserError
from posprobe.pipeline.applying import APPLIED
from posprobe.pipeline.cached import NotMeasured, only_looking
from posprobe.pipeline.parts import Part, PartDone, cut_into
from posprobe.pipeline.sweeping.spec import Cell
from posprobe.report.report import Report


@dataclass(frozen=True, kw_only=True)
class Job:
    """A cell and where it is run.

    Attributes:
        cell: What is measured.
        part: The part of its corpus that is summed. None: all of it is measured; if it is cut,
            from what its parts have summed.
        threads: How many threads it may use.
        no_cache: Whether what was kept is measured again.
        folder: The folder that relative paths start from.
        environment: The variables of posprobe.
    """

    cell: Cell
    threads: int
    no_cache: bool
    folder: str
    environment: dict[str, str]
    part: Part | None = None

    @classmethod
    def of(cls, cell: Cell, *, threads: int, no_cache: bool) -> "Job":
        """Make a job that finds elsewhere what would be found here."""
        own = {name: value for name, value in os.environ.items() if name.startswith("POSPROBE_")}
        return cls(
            cell=cell, threads=threads, no_cache=no_cache, folder=os.getcwd(), environment=own
        )


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a job.

    Attributes:
        report: What was found; None for a part, whose sums are in the cache.
        failed: Why nothing was; else None.
        seconds: How long it took.
    """

    report: Report | None = None
    failed: str | None = None
    seconds: float = 0.0


def run_job(job: Job) -> Outcome:
    """Measure a cell or sum a part; whatever goes wrong with it is told, not raised.

    Args:
        job: What to do.
    """
    start = time.monotonic()
    os.environ.update(job.environment)
    here = chdir(job.folder) if Path(job.folder).is_dir() else nullcontext()
    try:
        with here, threads(job.threads):
            report, failed = _measure(job), None
    except PartDone:
        report, failed = None, None
    except UserError as error:
        report, failed = None, str(error)
    except Exception as error:
        report, failed = None, f"unexpected {type(error).__name__}: {error}"
    seconds = time.monotonic() - start
    return Outcome(report=report, failed=failed and " ".join(failed.split()), seconds=seconds)


def look(job: Job) -> Outcome | None:
    """Return what is known of a cell without running it: its result, or why it must fail.

    Args:
        job: The cell.

    Returns:
        None if it has to be run.
    """
    try:
        with only_looking(), threads(job.threads):
            return Outcome(report=_measure(job))
    except NotMeasured:
        return None
    except UserError as error:
        return Outcome(failed=" ".join(str(error).split()))


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Let everything that computes in this process use so many threads."""
    before = torch.get_num_threads()
    try:
        with threadpool_limits(count):
            torch.set_num_threads(count)
            yield
    finally:
        torch.set_num_threads(before)


def _measure(job: Job) -> Report:
    cell = job.cell
    with cut_into(cell.parts, job.part):
        return APPLIED[cell.measure].run(cell.ref, no_cache=job.no_cache, **cell.options)
