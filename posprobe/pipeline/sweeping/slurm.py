"""Workers of a Dask cluster that Slurm starts; only imported where it is asked for."""

import asyncio
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from logging import getLogger
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dask_jobqueue.slurm import SLURMCluster, SLURMJob

from posprobe.core.errors import UserError

LOG = getLogger("posprobe")
_TRIES, _SECONDS = 5, 30.0
"""How often a job that is wanted again is asked for, and how long Slurm has in between."""


class PatientJob(SLURMJob):
    """A job that is asked for again where Slurm was too busy to take it.

    Dask would go on without the worker.
    """

    async def _submit_job(self, script_filename: str) -> Any:
        for _ in range(_TRIES - 1):
            try:
                return await super()._submit_job(script_filename)
            except RuntimeError as error:
                LOG.warning("Slurm took no job: %s", _last_line(str(error)))
                await asyncio.sleep(_SECONDS)
        return await super()._submit_job(script_filename)


@contextmanager
def open_slurm(*, workers: int, threads: int) -> Iterator[SLURMCluster]:
    """Open a cluster of workers that Slurm starts as the user's `jobqueue.yaml` describes them.

    Args:
        workers: How many to ask for.
        threads: Cores of each.

    Raises:
        UserError: If no job is described, or Slurm would not take it.
    """
    patient: Any = PatientJob
    try:
        cluster = SLURMCluster(cores=threads, processes=1, job_cls=patient)
    except ValueError as error:
        raise UserError(
            f"--scheduler slurm: describe a job in ~/.config/dask/jobqueue.yaml ({error})"
        ) from error
    with cluster:
        _require_taken(cluster.job_script())
        # A worker that was there and was ended, at its walltime say, is asked for again; after
        # `scale` it would not be.
        cluster.adapt(minimum_jobs=workers, maximum_jobs=workers)
        LOG.info("waiting for Slurm to start %d workers; squeue says where they are", workers)
        yield cluster


def _require_taken(script: str) -> None:
    """Ask Slurm whether it would take a job, since Dask waits for ever for one that it refused."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "job.sh"
        file.write_text(script, encoding="utf-8")
        try:
            asked = subprocess.run(
                ["sbatch", "--test-only", str(file)], capture_output=True, text=True, check=False
            )
        except OSError as error:
            raise UserError(f"--scheduler slurm: sbatch cannot be run ({error})") from error
    if asked.returncode:
        raise UserError(f"--scheduler slurm: Slurm takes no such job: {_last_line(asked.stderr)}")


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no reason")
