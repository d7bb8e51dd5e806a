from dataclasses import replace

import pytest

from posprobe.core.errors import UserError
from posprobe.models.build import build
from posprobe.training.recipes import RECIPES, recipe_config

POSITIONS = ("dstg", "ap", "rp", "rope")
TASKS = ("addition", "reversal", "indexing", "ordering")


def test_every_recipe_is_named_after_itself():
    assert all(recipe_config(name).recipe == name for name in RECIPES)
    assert set(RECIPES) == {f"{p}{size}" for p in POSITIONS for size in ("", "-tiny")} | {
        f"nanogpt-nope-{task}{kind}" for task in TASKS for kind in ("", "-small", "-noncausal")
    }


def test_the_tiny_encoders_differ_in_how_position_enters_and_how_attention_begins():
    first, *others = (recipe_config(f"{position}-tiny") for position in POSITIONS)
    for config in others:
        same = replace(config.model, position=first.model.position)
        assert replace(config, recipe=first.recipe, model=same, init=first.init) == first
        assert config.init == "fan-in"


def test_the_tiny_encoders_fit_two_cores():
    config = recipe_config("dstg-tiny")
    model = config.model
    assert (model.n_layers, model.n_heads, model.n_ctx) == (4, 4, 128)
    assert model.streams == {"ap": 16, "sem": 80}
    assert (config.batch_size, config.lr, config.beta1, config.beta2) == (16, 1e-3, 0.9, 0.98)
    assert (config.data.source, config.data.wrap, model.rp_border) == ("docstrings", False, "none")
    assert (config.mask_rate, config.mask_as_mask, config.bias_lr_scale) == (0.2, 1.0, 3.0)
    assert build(model).unembed.head.weight is not build(model).embed.weight


@pytest.mark.parametrize("position", POSITIONS)
def test_paper_sizes(position):
    config = recipe_config(position)
    model = config.model
    assert (model.n_layers, model.n_heads, model.d_model, model.n_ctx) == (6, 6, 768, 512)
    assert (config.lr, config.beta2, config.warmup, config.clip) == (1e-4, 0.95, 2000, 1.0)
    assert model.d_mlp == (3072 if position == "dstg" else 2048)
    if position == "dstg":
        assert model.streams == {"ap": 48, "sem": 720}


@pytest.mark.parametrize("task", TASKS)
def test_decoders(task):
    paper, small, control = (
        recipe_config(f"nanogpt-nope-{task}{kind}") for kind in ("", "-small", "-noncausal")
    )
    assert (paper.model.n_layers, paper.model.n_heads, paper.model.d_model) == (6, 6, 384)
    assert paper.model.n_ctx == 256
    assert small.model == replace(paper.model, d_model=small.model.d_model)
    assert small.model.d_model <= 192
    assert small.data.answers_only == (task != "reversal")
    assert control.model == replace(small.model, causal=False)
    assert control.data == small.data
    assert all(config.data.task == task for config in (paper, small, control))


def test_an_unknown_recipe_names_those_that_there_are():
    with pytest.raises(UserError, match="no recipe 'bert'; there are: dstg, "):
        recipe_config("bert")
