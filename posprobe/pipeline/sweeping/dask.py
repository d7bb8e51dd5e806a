"""Running the cells of a sweep on a Dask cluster; only imported when one is asked for."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib import import_module
from typing import Any

from posprobe.core.errors import UserError
from posprobe.pipeline.sweeping.job import Job, Outcome, run_job
from posprobe.pipeline.sweeping.parts import Run

SCHEDULERS = ("local", "slurm")


@contextmanager
def open_dask(*, scheduler: str, workers: int, threads: int) -> Iterator[Run]:
    """Open a cluster that runs jobs; Dask itself runs again what a lost worker had.

    Args:
        scheduler: `local` starts one here, `slurm` asks Slurm for workers as the user's
            `jobqueue.yaml` describes them, anything else is the address of one that runs.
        workers: How many workers to ask for; an address has its own.
        threads: Cores of a worker that Slurm is asked for.

    Yields:
        What runs jobs on it, as often as it is called.

    Raises:
        UserError: If Dask is not installed, or the cluster cannot be reached.
    """
    distributed = _extra("distributed")
    with ExitStack() as stack:
        where = _where(distributed, scheduler, workers, threads, stack)
        try:
            client = stack.enter_context(distributed.Client(where, set_as_default=False))
        except (OSError, ValueError) as error:
            raise UserError(f"--scheduler {scheduler}: cannot be reached ({error})") from error
        yield partial(_run, distributed, client)


def _run(distributed: Any, client: Any, jobs: Sequence[Job]) -> Iterator[tuple[int, Outcome]]:
    indices = {client.submit(run_job, job, pure=False): i for i, job in enumerate(jobs)}
    for future in distributed.as_completed(indices, loop=client.loop):
        try:
            yield indices[future], future.result()
        except distributed.KilledWorker as error:
            yield indices[future], Outcome(failed=" ".join(str(error).split()))


def _where(distributed: Any, scheduler: str, workers: int, threads: int, stack: ExitStack) -> Any:
    if scheduler == "local":
        return stack.enter_context(
            distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            )
        )
    if scheduler == "slurm":
        _extra("dask_jobqueue")
        from posprobe.pipeline.sweeping.slurm import open_slurm

        return stack.enter_context(open_slurm(workers=workers, threads=threads))
    if ":" not in scheduler:
        raise UserError(
            f"--scheduler {scheduler}: want {', '.join(SCHEDULERS)} or an address such as "
            "tcp://127.0.0.1:8786"
        )
    return scheduler


def _extra(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise UserError(
            f"--scheduler: {module} is not installed; pip install 'posprobe[cluster]'"
        ) from error
