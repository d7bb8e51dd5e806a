import os
import subprocess
import sys

import pytest

from posprobe.core.errors import UserError
from posprobe.training.accelerator import make_accelerator
from posprobe.training.run_folder import RunFolder
from posprobe.training.train import train
from tests.training.tiny import TEXT, losses

SCRIPT = """
import sys
from dataclasses import replace
from posprobe.training.train import train
from tests.training.tiny import TEXT
train(replace(TEXT, batch_size=2), sys.argv[1])
"""


@pytest.mark.slow
def test_two_processes_equal_one_with_the_doubled_batch(tmp_path, root):
    script = tmp_path / "two.py"
    script.write_text(SCRIPT)
    words = ["-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2"]
    words += ["--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no"]
    words += ["--main_process_port", "0", str(script), str(tmp_path / "two")]
    environment = os.environ | {"PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"}
    subprocess.run([sys.executable, *words], cwd=root, env=environment, check=True)
    one = losses(RunFolder(train(TEXT, tmp_path / "one")))
    assert losses(RunFolder(tmp_path / "two")) == pytest.approx(one, abs=1e-4)


def test_a_launcher_that_started_too_few_is_found_out(monkeypatch):
    monkeypatch.setenv("ACCELERATE_USE_CPU", "True")
    monkeypatch.setenv("MASTER_PORT", "29500")
    with pytest.raises(UserError, match="use --multi_gpu instead of --cpu"):
        make_accelerator(TEXT)
