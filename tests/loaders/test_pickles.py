import os
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch

from posprobe.core.errors import CheckpointError
from posprobe.loaders.pickles import load_meta, load_torch


class Trap:
    """Writes a file if anybody unpickles it."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self):
        return os.system, (f"touch '{self.marker}'",)


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    return tmp_path / "was-run"


def _zip(trap, path):
    torch.save({"model": {"w": torch.ones(2)}, "extra": trap}, path)


def _legacy(trap, path):
    torch.save({"extra": trap}, path, _use_new_zipfile_serialization=False)


def _newest(trap, path):
    torch.save({"extra": trap}, path, pickle_protocol=4)


def _bare(trap, path):
    path.write_bytes(pickle.dumps(trap))


@pytest.mark.parametrize("write", [_zip, _legacy, _newest, _bare])
def test_a_malicious_file_is_refused_in_one_line_and_not_run(write, tmp_path, marker):
    path = tmp_path / "ckpt.pt"
    write(Trap(marker), path)
    with pytest.raises(CheckpointError) as caught:
        load_torch(path)
    message = str(caught.value)
    assert not marker.exists()
    assert "\n" not in message
    assert str(path) in message
    assert f"{os.name}.system" in message or "posix.system" in message
    assert "--trust-pickle" in message


def test_trust_is_what_runs_it(tmp_path, marker):
    path = tmp_path / "ckpt.pt"
    _zip(Trap(marker), path)
    assert load_torch(path, trust_pickle=True)["model"]["w"].tolist() == [1, 1]
    assert marker.exists()


@pytest.mark.parametrize("name", ["nopefork_nope", "nopefork_sin"])
def test_numpy_numbers_are_read_under_both_names(golden, name):
    # The first file names numpy.core (NumPy 1), the second numpy._core (NumPy 2).
    checkpoint = load_torch(golden / name / "ckpt_10000_acc.pt")
    assert isinstance(checkpoint["best_val_loss"], np.ndarray)
    assert checkpoint["best_val_loss"].shape == ()
    assert np.isfinite(checkpoint["best_val_loss"])


def test_plain_weights_of_nanogpt_are_read(golden):
    checkpoint = load_torch(golden / "nanogpt_a" / "ckpt.pt")
    assert checkpoint["model_args"]["n_layer"] == 3


def test_numpy_scalars_and_arrays_come_back_equal(tmp_path):
    held = {"a": np.float32(0.1), "b": np.arange(3.0), "c": np.bool_(True), "d": np.int64(7)}
    torch.save(held, tmp_path / "x.pt")
    read = load_torch(tmp_path / "x.pt")
    assert read["a"] == np.float32(0.1)
    assert read["b"].tolist() == [0, 1, 2]
    assert (read["c"], read["d"]) == (True, 7)


def test_arrays_of_objects_stay_refused(tmp_path):
    torch.save({"a": np.array([{}], dtype=object)}, tmp_path / "x.pt")
    with pytest.raises(CheckpointError, match="--trust-pickle"):
        load_torch(tmp_path / "x.pt")


def test_torch_trusts_no_more_than_before(golden):
    before = set(torch.serialization.get_safe_globals())  # torch keeps them in no order
    load_torch(golden / "nopefork_nope" / "ckpt_10000_acc.pt")
    assert set(torch.serialization.get_safe_globals()) == before


def test_a_pickled_module_is_named(tmp_path):
    torch.save(torch.nn.Linear(2, 2), tmp_path / "x.pt")
    with pytest.raises(CheckpointError, match=r"torch\.nn\.modules\.linear\.Linear"):
        load_torch(tmp_path / "x.pt")


@pytest.mark.parametrize("legacy", [False, True])
def test_a_file_cut_short_is_one_line(tmp_path, legacy):
    path = tmp_path / "x.pt"
    torch.save({"a": torch.ones(99)}, path, _use_new_zipfile_serialization=not legacy)
    path.write_bytes(path.read_bytes()[:150])
    with pytest.raises(CheckpointError, match="damaged") as caught:
        load_torch(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"hello world", b"\x80\x02."])
@pytest.mark.parametrize("read", [load_torch, load_meta])
def test_garbage_is_one_line(tmp_path, content, read):
    path = tmp_path / "x.pt"
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"x\.pt") as caught:
        read(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("read", [load_torch, load_meta])
def test_no_such_file(tmp_path, read):
    with pytest.raises(CheckpointError, match="no such file"):
        read(tmp_path / "x.pt")


def test_meta_of_nanogpt(golden):
    meta = load_meta(golden / "nanogpt_a" / "meta.pkl")
    assert meta["vocab_size"] == 65
    assert meta["itos"][meta["stoi"]["a"]] == "a"


def test_meta_without_its_size_gets_one(tmp_path):
    (tmp_path / "meta.pkl").write_bytes(pickle.dumps({"itos": {0: "a"}, "stoi": {"a": 0}}))
    assert load_meta(tmp_path / "meta.pkl")["vocab_size"] == 1


def test_a_malicious_meta_is_not_run(tmp_path, marker):
    content = {"itos": {0: "a"}, "stoi": {"a": 0}, "vocab_size": Trap(marker)}
    (tmp_path / "meta.pkl").write_bytes(pickle.dumps(content))
    with pytest.raises(CheckpointError, match="system"):
        load_meta(tmp_path / "meta.pkl")
    assert not marker.exists()


def test_meta_admits_no_names_at_all(tmp_path):
    (tmp_path / "meta.pkl").write_bytes(pickle.dumps({"itos": dict, "stoi": {}}))
    with pytest.raises(CheckpointError, match="not data"):
        load_meta(tmp_path / "meta.pkl")


@pytest.mark.parametrize(
    "content",
    [
        [1, 2],
        {"itos": {0: "a"}},
        {"itos": {0: "a"}, "stoi": {"b": 0}},
        {"itos": {"a": 0}, "stoi": {0: "a"}},
        {"itos": ["a"], "stoi": {"a": 0}},
        {"itos": {0: "a"}, "stoi": {"a": 0}, "vocab_size": "many"},
    ],
)
def test_a_pickle_that_is_no_vocabulary(tmp_path, content):
    (tmp_path / "meta.pkl").write_bytes(pickle.dumps(content))
    with pytest.raises(CheckpointError, match="vocabulary"):
        load_meta(tmp_path / "meta.pkl")


def test_a_meta_that_holds_itself_ends(tmp_path):
    meta = {"itos": {0: "a"}, "stoi": {"a": 0}}
    meta["self"] = meta
    (tmp_path / "meta.pkl").write_bytes(pickle.dumps(meta))
    assert set(load_meta(tmp_path / "meta.pkl")) == {"itos", "stoi", "vocab_size"}
