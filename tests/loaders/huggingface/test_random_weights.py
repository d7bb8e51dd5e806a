"""The same architecture with weights drawn anew."""

import pytest
import torch


@pytest.mark.parametrize("name", ["gpt2", "gpt2-headless", "llama", "bert", "distilbert"])
def test_random_weights_by_seed(name, model, tokens):
    trained = model(name)
    site = ["blocks.1.hook_resid_post"]
    before = trained.run(tokens, None, site)[site[0]]
    one, same, other = (trained.reinit(seed).run(tokens, None, site)[site[0]] for seed in (1, 1, 2))
    assert torch.equal(one, same)
    assert not torch.equal(one, other)
    assert torch.equal(trained.run(tokens, None, site)[site[0]], before)
    assert trained.reinit(1).info == trained.info


@pytest.mark.parametrize("name", ["gpt2", "gpt2-headless", "llama", "bert", "distilbert"])
def test_random_weights_of_a_chosen_spread(name, model, tokens):
    seen = model(name).reinit(0, mean=3.0, std=0.1).run(tokens, None, ["hook_embed"])["hook_embed"]
    assert abs(float(seen.mean()) - 3) < 0.02
    assert abs(float(seen.std()) - 0.1) < 0.02


def test_random_weights_leave_the_generator_alone(model):
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    model("gpt2").reinit(0)
    assert torch.equal(torch.rand(1), expected)


def test_the_default_spread_is_that_of_transformers(model):
    table = model("gpt2").reinit(0).position_table().rows
    assert abs(table.std() - 0.02) < 0.003
