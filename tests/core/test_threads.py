import subprocess
import sys

import torch

from posprobe.core.threads import thread_count

ALONE = "import sys; from posprobe.core.threads import thread_count; {}; print(thread_count())"


def test_threads_are_those_of_torch():
    torch.set_num_threads(1)
    assert thread_count() == 1


def test_without_torch_threads_are_those_asked_for():
    told = ALONE.format("import os; os.environ['OMP_NUM_THREADS'] = '3'")
    run = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["3"]
