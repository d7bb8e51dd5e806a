"""Learned position tables, from disk and from the model."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from posprobe.core.errors import CheckpointError
from posprobe.core.options import LoadOptions
from posprobe.loaders.huggingface import load_huggingface
from posprobe.loaders.huggingface_positions import read_huggingface_table

OPTIONS = LoadOptions()
TWO_UNUSED = ("roberta", "roberta-headless", "opt", "opt-headless")


def test_the_table_from_disk_and_from_the_model_are_the_same(name, folder, model):
    stored, held = read_huggingface_table(folder(name)), model(name).position_table()
    assert (stored is None) == (held is None) == (model(name).info.position != "learned")
    if held is not None:
        assert stored.offset == held.offset == (2 if "roberta" in name or "opt" in name else 0)
        assert stored.rows.shape[0] == model(name).info.n_ctx
        assert (stored.rows == held.rows).all()


@pytest.mark.parametrize("name", TWO_UNUSED)
def test_huge_values_in_the_unused_rows_change_nothing(name, copy, model, tokens, edit_weights):
    path = copy(name)

    def change(state):
        key = next(key for key in state if "position" in key)
        state[key][:2] = 1e6

    edit_weights(path, change)
    assert read_huggingface_table(path).rows.max() < 10
    padded = torch.cat([torch.ones(2, 3, dtype=torch.long), tokens], dim=1)
    mask = torch.ones_like(padded, dtype=torch.bool)
    mask[:, :3] = False
    site = ["blocks.1.hook_resid_post", "hook_pos_embed"]
    seen = load_huggingface(path, OPTIONS).run(padded, mask, site)
    expected = model(name).run(padded, mask, site)
    assert all(torch.equal(seen[key], expected[key]) for key in site)


def test_a_table_that_is_not_there_is_an_error(copy, edit_weights):
    path = copy("gpt2")
    edit_weights(path, lambda state: state.pop("transformer.wpe.weight"))
    with pytest.raises(CheckpointError, match=r"lack the position table wpe\.weight"):
        read_huggingface_table(path)


def test_the_table_is_read_without_the_heavy_libraries(folder):
    code = (
        "import sys; from pathlib import Path;"
        "from posprobe.loaders.huggingface_positions import read_huggingface_table;"
        f"assert read_huggingface_table(Path({str(folder('bert'))!r})).rows.shape == (24, 32);"
        "assert not {'torch', 'transformers', 'transformer_lens'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])
