"""How long a command takes to start, imports included: `python -m tests.benchmarks.start`."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from statistics import median
from tempfile import TemporaryDirectory

from tests.benchmarks.lines import Line, at_most, run

REPEATS = 5
MAIN = "from posprobe.cli import main; main()"


def lines() -> Iterator[Line]:
    """Measure."""
    _, help_spent = _spent("--help")
    yield at_most("posprobe --help, processor time", help_spent, 0.5, "s")
    with TemporaryDirectory() as out:
        words = ("manifold", "dstg-tiny", "--no-cache", "--out", out)
        taken, table_spent = _spent(*words)
        yield at_most("posprobe manifold dstg-tiny, with its page", taken, 4, "s")
        yield Line(what="the same, processor time", ours=table_spent)
        yield Line(
            what="the same from the cache", ours=_spent("manifold", *words[1:2], *words[3:])[0]
        )
        assert not _loaded(*words) & {"torch", "transformers", "transformer_lens"}
    _, torch_spent = _spent(code="import torch")
    yield Line(what="for comparison: import torch, processor time", ours=torch_spent)


def _spent(*words: str, code: str = MAIN) -> tuple[float, float]:
    """Return the median seconds of a fresh Python, and those of the processor."""
    found = []
    for _ in range(REPEATS + 1):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        _python(code, *words)
        taken, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        found.append((taken, spent))
    # The first one reads the files from the disk.
    return median(taken for taken, _ in found[1:]), median(spent for _, spent in found[1:])


def _loaded(*words: str) -> set[str]:
    code = f"import sys\ntry:\n  {MAIN}\nfinally:\n  print('modules', *sys.modules)"
    return set(_python(code, *words).splitlines()[-1].split())


def _python(code: str, *words: str) -> str:
    environment = os.environ | {"POSPROBE_CACHE": ""}
    call = [sys.executable, "-c", code, *words]
    return subprocess.run(call, env=environment, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    run("start", lines())
