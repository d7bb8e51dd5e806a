import pytest
import torch

from posprobe.core.errors import CheckpointError
from posprobe.training.run_folder import RunFolder


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path / "out")


def test_a_line_that_a_kill_cut_short_is_left_out_and_later_lines_are_dropped(folder):
    for step in range(1, 5):
        folder.log(step=step, loss=0.5)
    with (folder.path / "log.jsonl").open("a") as stream:
        stream.write('{"step": 5, "lo')
    assert [line["step"] for line in folder.read_log()] == [1, 2, 3, 4]
    folder.cut_log(3)
    folder.log(step=4, loss=0.25)
    assert [line["loss"] for line in folder.read_log()] == [0.5, 0.5, 0.5, 0.25]


def test_sweeping_removes_what_is_half_written_and_nothing_else(folder):
    folder.save_state({"step": 1})
    kept = {"step-000001", "state", "notes"}
    for name in (*kept, ".step-000002.x1", ".final.x2", "state/.state.pt.x3"):
        (folder.path / name).mkdir(exist_ok=True)
    folder.sweep()
    assert {file.name for file in folder.path.iterdir()} == kept
    assert [file.name for file in (folder.path / "state").iterdir()] == ["state.pt"]


def test_clearing_leaves_what_is_not_ours(folder):
    folder.save_state({"step": 1})
    folder.log(step=1)
    for name in ("config.json", "notes.txt"):
        (folder.path / name).write_text("{}")
    folder.clear()
    assert [file.name for file in folder.path.iterdir()] == ["notes.txt"]


def test_a_state_is_read_as_it_was_written(folder):
    assert folder.read_state() is None
    folder.save_state({"step": 3, "model": {"w": torch.arange(3.0)}})
    state = folder.read_state()
    assert state["step"] == 3
    assert state["model"]["w"].tolist() == [0, 1, 2]


@pytest.mark.parametrize("content", [b"", b"not a state", b"cos\nsystem\n(S'true'\ntR."])
def test_a_damaged_state_is_one_line_and_no_code_of_it_runs(folder, content):
    (folder.path / "state").mkdir()
    (folder.path / "state" / "state.pt").write_bytes(content)
    with pytest.raises(CheckpointError, match="remove it to begin again"):
        folder.read_state()
