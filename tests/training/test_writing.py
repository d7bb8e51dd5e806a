import resource
import signal

import pytest
import torch

from posprobe.core.errors import UserError
from posprobe.training.run_folder import RunFolder
from posprobe.training.writing import writing


@pytest.fixture
def _small_disk():
    """Let no file grow beyond 64 KiB, which fails as a full disk does: in the middle."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.usefixtures("_small_disk")
def test_a_state_that_does_not_fit_leaves_the_one_before(tmp_path):
    folder = RunFolder(tmp_path / "out")
    folder.save_state({"step": 1, "weights": torch.zeros(100)})
    with pytest.raises(UserError, match="cannot be written") as caught:
        folder.save_state({"step": 2, "weights": torch.zeros(1 << 20)})
    assert "\n" not in str(caught.value)
    state = folder.read_state()
    assert state["step"] == 1
    assert [file.name for file in (tmp_path / "out" / "state").iterdir()] == ["state.pt"]


def test_an_error_that_has_nothing_to_do_with_writing_passes(tmp_path):
    with pytest.raises(RuntimeError, match="shapes"), writing(tmp_path):
        raise RuntimeError("shapes do not fit")


def test_a_folder_that_may_not_be_written(tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(UserError, match="cannot be written"):
        RunFolder(tmp_path / "out")
