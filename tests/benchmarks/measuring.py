"""Seconds and memory of one thing beside another, measured in one run."""

import gc
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

Run = Callable[[], object]


def seconds(*runs: Run, repeats: int = 7) -> list[float]:
    """Return the least seconds of each, run in turns so that all meet the same neighbours.

    What other processes take only adds to them.
    """
    for run in runs:
        run()  # compiles, and fills caches
    taken = [[_clock(run) for run in runs] for _ in range(repeats)]
    return [min(times) for times in zip(*taken, strict=True)]


@dataclass(frozen=True)
class Spent:
    """What a run took in a process of its own: memory above what it started from."""

    seconds: float
    added: float
    peak: float


def spent(prepare: Callable[..., Run], *args: Any, repeats: int = 1) -> Spent:
    """Run what `prepare(*args)` returns in fresh processes; only the run itself counts.

    Of the runs the one with the middle peak is returned: how much memory a process gives back
    between two batches differs from one to the next.
    """
    found = []
    for _ in range(repeats):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            found.append(pool.submit(_spend, prepare, args).result())
    return sorted(found, key=lambda run: run.added)[repeats // 2]


def _spend(prepare: Callable[..., Run], args: tuple[Any, ...]) -> Spent:
    run = prepare(*args)
    gc.collect()
    before = _start_peak()
    taken = _clock(run)
    peak = _peak()
    return Spent(seconds=taken, added=peak - before, peak=peak)


def _clock(run: Run) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def _start_peak() -> float:
    """Forget the peak so far, where the system can; return the memory now held, in bytes."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return _peak()
    return _status("VmRSS")


def _peak() -> float:
    if Path("/proc/self/status").exists():
        return _status("VmHWM")
    unit = 1 if sys.platform == "darwin" else 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)


def _status(field: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith(field))) * 1024
