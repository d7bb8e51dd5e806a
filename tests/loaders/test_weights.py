import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from posprobe.core.errors import CheckpointError
from posprobe.loaders.stored_table import read_stored_table
from posprobe.loaders.weight_files import read_json
from posprobe.loaders.weights import (
    fit,
    read_bin,
    read_safetensors,
    read_weights,
    strip_prefixes,
)

STATE = {"a": torch.arange(6.0).reshape(2, 3), "b": torch.ones(4), "c": torch.zeros(1)}


@pytest.fixture
def sharded(tmp_path: Path) -> Path:
    save_file({"a": STATE["a"]}, tmp_path / "model-00001-of-00002.safetensors")
    save_file({"b": STATE["b"], "c": STATE["c"]}, tmp_path / "model-00002-of-00002.safetensors")
    _index(tmp_path, {"a": 1, "b": 2, "c": 2})
    return tmp_path


def _index(folder: Path, shards: dict[str, int | str]) -> None:
    names = {
        tensor: shard if isinstance(shard, str) else f"model-0000{shard}-of-00002.safetensors"
        for tensor, shard in shards.items()
    }
    text = json.dumps({"metadata": {}, "weight_map": names})
    (folder / "model.safetensors.index.json").write_text(text)


def _equal(one, other) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[key], other[key]) for key in one)


def test_one_file(tmp_path):
    save_file(STATE, tmp_path / "model.safetensors")
    assert _equal(read_safetensors(tmp_path), STATE)
    assert _equal(read_safetensors(tmp_path / "model.safetensors"), STATE)
    state, files = read_weights(tmp_path)
    assert _equal(state, STATE)
    assert files == (tmp_path / "model.safetensors",)


def test_shards_are_merged_by_their_index(sharded):
    state, files = read_weights(sharded)
    assert _equal(state, STATE)
    assert _equal(read_safetensors(sharded), STATE)
    assert [file.name[:11] for file in files] == ["model-00001", "model-00002"]


def test_stray_shards_are_left_alone(sharded):
    stray = {"a": torch.full((2, 3), 9.0), "d": torch.ones(1)}
    save_file(stray, sharded / "model-00003-of-00003.safetensors")
    save_file(stray, sharded / "model.safetensors")
    state, files = read_weights(sharded)
    assert _equal(state, STATE)
    assert len(files) == 2


def test_a_missing_shard_is_an_error(sharded):
    (sharded / "model-00002-of-00002.safetensors").unlink()
    for read in (read_weights, read_safetensors, lambda path: read_stored_table(path, ["a"])):
        with pytest.raises(CheckpointError, match="model-00002-of-00002"):
            read(sharded)


def test_a_tensor_missing_from_its_shard_is_an_error(sharded):
    _index(sharded, {"a": 1, "b": 2, "c": 2, "d": 2})
    with pytest.raises(CheckpointError, match=r"lacks tensors.* d"):
        read_weights(sharded)


def test_a_tensor_that_the_index_does_not_name_is_left_alone(sharded):
    _index(sharded, {"a": 1, "b": 2})
    assert read_weights(sharded)[0].keys() == {"a", "b"}


@pytest.mark.parametrize("file", ["../secret.safetensors", "/etc/passwd", "sub/x.safetensors"])
def test_an_index_stays_in_its_folder(sharded, file):
    _index(sharded, {"a": file})
    with pytest.raises(CheckpointError, match="not a file name"):
        read_weights(sharded)


@pytest.mark.parametrize("text", ["{", "[]", '{"weight_map": {}}', '{"weight_map": 3}', "{}"])
def test_a_damaged_index_is_an_error(sharded, text):
    (sharded / "model.safetensors.index.json").write_text(text)
    with pytest.raises(CheckpointError, match=r"index\.json"):
        read_weights(sharded)


def test_damaged_safetensors_are_one_line(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"not safetensors at all")
    for read in (read_weights, lambda path: read_stored_table(path, ["a"])):
        with pytest.raises(CheckpointError, match="damaged") as caught:
            read(tmp_path)
        assert "\n" not in str(caught.value)


def test_no_weights(tmp_path):
    for read in (read_weights, read_safetensors):
        with pytest.raises(CheckpointError, match=r"model\.safetensors"):
            read(tmp_path)


def test_pickled_weights_are_read_and_come_second(tmp_path):
    torch.save({"a": torch.full((1, 1), 7.0)}, tmp_path / "pytorch_model.bin")
    assert read_weights(tmp_path)[0]["a"].item() == 7
    assert read_stored_table(tmp_path, ["z", "a"]).tolist() == [[7]]
    save_file(STATE, tmp_path / "model.safetensors")
    assert _equal(read_weights(tmp_path)[0], STATE)


@pytest.mark.parametrize(("held", "said"), [([1], "list"), ({"a": 1}, "not only tensors: a")])
def test_pickled_weights_are_tensors_only(tmp_path, held, said):
    torch.save(held, tmp_path / "pytorch_model.bin")
    with pytest.raises(CheckpointError, match=said):
        read_bin(tmp_path / "pytorch_model.bin")


@pytest.mark.parametrize(
    "prefix",
    ["", "_orig_mod.", "module.", "module._orig_mod.", "_orig_mod.module.", "module." * 3],
)
def test_prefixes_are_stripped_however_nested(prefix):
    assert _equal(strip_prefixes({prefix + key: value for key, value in STATE.items()}), STATE)


def test_prefixes_inside_a_name_stay():
    assert list(strip_prefixes({"h.module.w": STATE["a"]})) == ["h.module.w"]


def test_names_that_collide_are_an_error():
    with pytest.raises(CheckpointError, match="Two tensors are called w"):
        strip_prefixes({"w": STATE["a"], "module.w": STATE["b"]})


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(5, 3)
        self.mid = nn.Linear(3, 3)
        self.head = nn.Linear(3, 5, bias=False)
        self.head.weight = self.embed.weight


def _state() -> dict[str, torch.Tensor]:
    return {key: torch.randn_like(value) for key, value in Tied().state_dict().items()}


TIED = {"head.weight": "embed.weight"}


def test_an_absent_tied_tensor_is_tied_again():
    state, module = _state(), Tied()
    del state["head.weight"]
    fit(module, state, where="here", tied=TIED)
    assert torch.equal(module.head.weight, state["embed.weight"])
    assert torch.equal(module.mid.weight, state["mid.weight"])


def test_an_absent_untied_tensor_is_an_error():
    state = _state()
    del state["head.weight"]
    with pytest.raises(CheckpointError, match=r"here: .*1 missing: head\.weight"):
        fit(Tied(), state, where="here")


def test_tied_tensors_that_differ_are_an_error():
    with pytest.raises(CheckpointError, match="tied but different"):
        fit(Tied(), _state(), where="here", tied=TIED)


def test_every_fault_is_listed_in_one_line_and_nothing_is_loaded():
    state, module = _state(), Tied()
    before = {key: value.clone() for key, value in module.state_dict().items()}
    del state["mid.bias"]
    state["mid.weight"] = torch.ones(3, 4)
    state |= {f"extra{i}": torch.ones(1) for i in range(7)}
    with pytest.raises(CheckpointError) as caught:
        fit(module, state, where="here", tied=TIED)
    message = str(caught.value)
    assert "\n" not in message
    assert "1 missing: mid.bias" in message
    assert "7 not known: extra0" in message
    assert "2 more" in message
    assert "file 3×4, model 3×3" in message
    assert _equal(module.state_dict(), before)


def test_whole_numbers_are_no_weights():
    state = _state() | {"mid.weight": torch.ones(3, 3, dtype=torch.int8)}
    with pytest.raises(CheckpointError, match=r"mid\.weight \(file 3×3 int8"):
        fit(Tied(), state, where="here")


def test_ignored_tensors_may_be_there():
    state, module = _state(), nn.Linear(3, 3)
    state = {"weight": state["mid.weight"], "bias": state["mid.bias"], "h.0.attn.bias": STATE["b"]}
    fit(module, state, where="here", ignore=("h.*.attn.bias",))
    assert torch.equal(module.bias, state["bias"])
    with pytest.raises(CheckpointError, match="not known"):
        fit(
            module, state | {"h.0.c_attn.bias": STATE["b"]}, where="here", ignore=("h.*.attn.bias",)
        )


def test_json(tmp_path):
    path = tmp_path / "config.json"
    with pytest.raises(CheckpointError, match="no such file"):
        read_json(path)
    for text, said in (("{", "JSON"), ("[1]", "object"), ("[" * 100_000, "JSON")):
        path.write_text(text)
        with pytest.raises(CheckpointError, match=said) as caught:
            read_json(path)
        assert "\n" not in str(caught.value)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(CheckpointError, match="JSON"):
        read_json(path)
    path.write_text('{"a": 1}')
    assert read_json(path) == {"a": 1}
