import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from posprobe.loaders.stored_table import read_stored_table

ROWS = torch.arange(6.0).reshape(2, 3)


def test_one_table_is_read_without_the_rest(tmp_path):
    shards = {"a": "one.safetensors", "b": "other.safetensors"}
    save_file({"a": ROWS}, tmp_path / shards["a"])
    # Reading the other shard would fail.
    (tmp_path / shards["b"]).write_bytes(b"garbage")
    index = str(shards).replace("'", '"')
    text = '{"weight_map": ' + index + "}"
    (tmp_path / "model.safetensors.index.json").write_text(text)
    assert read_stored_table(tmp_path, ["z", "a"]).tolist() == ROWS.tolist()
    assert read_stored_table(tmp_path, ["y", "z"]) is None


def test_the_first_name_wins(tmp_path):
    save_file({"a": ROWS, "b": 2 * ROWS}, tmp_path / "model.safetensors")
    assert read_stored_table(tmp_path, ["b", "a"]).tolist() == (2 * ROWS).tolist()
    assert read_stored_table(tmp_path, ["z"]) is None


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_every_precision_is_read_exactly(tmp_path, dtype):
    stored = torch.randn(5, 4).to(dtype)
    save_file({"a": stored}, tmp_path / "model.safetensors")
    found = read_stored_table(tmp_path, ["a"])
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, stored.double().numpy())
