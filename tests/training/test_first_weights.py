from dataclasses import replace

import pytest
import torch

from posprobe.core.errors import UserError
from posprobe.data.vocabulary import ascii_vocabulary
from posprobe.models.build import build
from posprobe.training.first_weights import first_weights
from tests.training.tiny import TASK, TEXT


def test_the_authors_way_is_the_models_own():
    model = first_weights(replace(TASK, seed=4), ascii_vocabulary())
    own = build(TASK.model, seed=4)
    assert all(torch.equal(p, q) for p, q in zip(model.parameters(), own.parameters(), strict=True))


def test_fan_in_draws_the_matrices_in_the_blocks_by_the_number_of_their_inputs():
    large = replace(TEXT.model, d_model=128, d_pos=32, d_mlp=256)
    model = first_weights(replace(TEXT, model=large, init="fan-in"), ascii_vocabulary())
    for name, weight in model.named_parameters():
        if weight.ndim == 1 or "relative_bias" in name:
            assert weight.unique().tolist() == ([1.0] if "norm" in name else [0.0])
        else:
            inside = name.startswith("blocks.")
            std = weight.shape[1] ** -0.5 if inside else 0.02 / 3**0.5  # uniform in ±0.02
            assert float(weight.detach().std()) == pytest.approx(std, rel=0.1)


def test_even_leaves_queries_and_keys_small():
    model = first_weights(replace(TEXT, init="even"), ascii_vocabulary())
    for name, weight in model.named_parameters():
        if ".qkv." in name:
            queries_and_keys, values = weight.detach().tensor_split([2 * TEXT.model.d_model])
            assert float(queries_and_keys.abs().max()) <= 0.02
            assert float(values.abs().max()) > 0.02


def test_fan_in_depends_on_the_seed_alone():
    one, same, other = (
        first_weights(replace(TEXT, init="fan-in", seed=seed), ascii_vocabulary())
        .blocks[0]
        .attn.out["sem"]
        .weight
        for seed in (1, 1, 2)
    )
    assert torch.equal(one, same)
    assert not torch.equal(one, other)


def test_special_tokens_and_padding_are_the_tokenizers():
    tokenizer = ascii_vocabulary()
    tokenizer.pad_id, tokenizer.special_ids = 1, (1, 5)
    cfg = first_weights(TEXT, tokenizer).cfg
    assert (cfg.pad_id, cfg.special_ids) == (1, (1, 5))


def test_a_vocabulary_that_does_not_fit_is_one_line():
    small = replace(TASK, model=replace(TASK.model, d_vocab=95))
    with pytest.raises(UserError, match=r"--set model\.d_vocab=96"):
        first_weights(small, ascii_vocabulary())
