"""Spreading the corpus of one cell over several workers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from logging import getLogger

from posprobe.analysis.sweep import setting_words
from posprobe.core.cache import user_cache
from posprobe.core.errors import UserError
from posprobe.pipeline.parts import Part
from posprobe.pipeline.summed import NOWHERE
from posprobe.pipeline.sweeping.job import Job, Outcome
from posprobe.pipeline.sweeping.stages import STAGES

LOG = getLogger("posprobe")

Run = Callable[[list[Job]], Iterator[tuple[int, Outcome]]]
"""Runs jobs; gives the index of each and what became of it, as they finish."""


def count_parts(jobs: Sequence[Job]) -> int:
    """Return how many parts there are to sum, over all stages.

    Args:
        jobs: The cells.
    """
    return sum(job.cell.parts * len(_stages(job)) for job in jobs)


def sum_parts(jobs: Sequence[Job], run: Run) -> dict[int, Outcome]:
    """Sum the parts of cells, each a job of its own that leaves its sums in the cache.

    A stage is begun when the one before is there for all cells.

    Args:
        jobs: The cells; those whose corpus is not cut are left alone.
        run: Runs jobs.

    Returns:
        By index, the cells that cannot be measured since one of their parts could not.

    Raises:
        UserError: If there is no cache.
    """
    failed: dict[int, Outcome] = {}
    done, total = 0, count_parts(jobs)
    if total and user_cache() is None:
        raise UserError(NOWHERE)
    for stage in range(max((len(_stages(job)) for job in jobs), default=0)):
        parts = [
            (index, replace(job, part=Part(number=number, of=job.cell.parts, stage=name)))
            for index, job in enumerate(jobs)
            for name in _stages(job)[stage : stage + 1]
            for number in range(job.cell.parts)
            if index not in failed
        ]
        ends: dict[int, Outcome] = {}
        for place, outcome in run([job for _, job in parts]):
            ends[place] = outcome
            done += 1
            LOG.info("part %d of %d: %s", done, total, told(parts[place][1], outcome))
        for place in sorted(ends):
            if ends[place].failed:
                failed.setdefault(parts[place][0], ends[place])
    return failed


def told(job: Job, outcome: Outcome) -> str:
    """Say in words what became of a job.

    Args:
        job: The job.
        outcome: What became of it.
    """
    what = [job.cell.measure, setting_words(job.cell.at)]
    if job.part:
        what.append(f"{job.part.stage} {job.part.number + 1} of {job.part.of}")
    end = f"failed, {outcome.failed}" if outcome.failed else f"{outcome.seconds:.1f} s"
    return f"{', '.join(what)}: {end}"


def _stages(job: Job) -> tuple[str, ...]:
    return STAGES[job.cell.measure] if job.cell.parts > 1 else ()
