"""Commands in a process of their own, which a test can disturb while they run."""

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

import psutil

COMMAND = (sys.executable, "-c", "from posprobe.cli import main; main()")
WORKERS = {None: "popen_loky_posix", "local": "--multiprocessing-fork"}
"""What the command lines of a sweep's two workers have in them, by scheduler."""


@dataclass
class Running:
    process: subprocess.Popen
    errors: TextIO

    def kill_a_worker(self, scheduler):
        children = psutil.Process(self.process.pid).children(recursive=True)
        workers = [child for child in children if WORKERS[scheduler] in " ".join(child.cmdline())]
        assert len(workers) == 2
        workers[0].kill()

    def end(self):
        """Wait until it has gone well; return what it printed, and what it said on stderr."""
        out = self.process.communicate(timeout=300)[0]
        self.errors.seek(0)
        said = self.errors.read()
        assert self.process.returncode == 0, said
        return out, said


@contextmanager
def running(words, *, cwd, **environment):
    with (
        (cwd / "err").open("w+") as errors,
        subprocess.Popen(
            words,
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=os.environ | environment,
        ) as process,
    ):
        yield Running(process, errors)


def wait_for(process, folder, pattern):
    """Wait until a file is there, as long as the process runs."""
    while not list(folder.glob(pattern)):
        assert process.poll() is None
        time.sleep(0.02)
