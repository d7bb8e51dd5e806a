"""Running the cells of a sweep in processes on this machine."""

import warnings
from collections.abc import Iterator, Sequence
from logging import getLogger
from typing import Any

from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

from posprobe.pipeline.sweeping.job import Job, Outcome, run_job

LOG = getLogger("posprobe")
_ONE_BY_ONE: dict[str, Any] = {"batch_size": 1, "pre_dispatch": "n_jobs"}

ROUNDS = 3
"""How often all that is left is run by a new pool after a worker was killed."""


def run_local(jobs: Sequence[Job], *, workers: int) -> Iterator[tuple[int, Outcome]]:
    """Run jobs in worker processes, or in this one if one worker is enough.

    When a worker is killed, joblib gives up all of its pool. What is left is run by a new one,
    those last that may have been running; after some rounds each is run by itself, so that one
    that kills its worker each time takes no other along.

    Args:
        jobs: The jobs.
        workers: How many processes, at most.

    Yields:
        The index of a job and what became of it, as they finish.
    """
    workers = min(workers, len(jobs))
    if workers <= 1:
        yield from ((index, run_job(job)) for index, job in enumerate(jobs))
        return
    left = list(range(len(jobs)))
    for _ in range(ROUNDS):
        try:
            for index, outcome in _pool([(index, jobs[index]) for index in left], workers):
                left.remove(index)
                yield index, outcome
            return
        except TerminatedWorkerError:
            LOG.info("a worker was killed; going on with the %d jobs that are left", len(left))
            left = left[workers:] + left[:workers]
    for index in left:
        try:
            yield from _pool([(index, jobs[index])], workers)
        except TerminatedWorkerError:
            yield index, Outcome(failed="its worker was killed; perhaps there is too little memory")


def _pool(numbered: Sequence[tuple[int, Job]], workers: int) -> Iterator[tuple[int, Outcome]]:
    with warnings.catch_warnings():
        # A worker that has grown much is replaced by a new one, which is as it should be.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs")
        pool: Any = Parallel(n_jobs=workers, return_as="generator_unordered", **_ONE_BY_ONE)
        yield from pool(delayed(_numbered)(index, job) for index, job in numbered)


def _numbered(index: int, job: Job) -> tuple[int, Outcome]:
    return index, run_job(job)
