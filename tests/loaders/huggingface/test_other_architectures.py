"""Architectures that no table knows: fewer sites, and never a silent guess."""

import pytest
import torch

from posprobe.core.errors import UserError
from posprobe.loaders.bridge_model import BridgeModel
from posprobe.loaders.hook_model import HookModel

NAMES = {"mpnet": HookModel, "qwen3": BridgeModel}


@pytest.mark.parametrize("name", NAMES)
def test_states_and_logits_are_those_of_transformers(name, network, model, tokens):
    wrapped = model(name)
    assert type(wrapped) is NAMES[name]
    with torch.no_grad():
        out = network(name)[0](tokens, output_hidden_states=True)
    seen = wrapped.run(tokens, None, wrapped.sites())
    torch.testing.assert_close(seen["blocks.0.hook_resid_pre"], out.hidden_states[0])
    torch.testing.assert_close(seen["blocks.0.hook_resid_post"], out.hidden_states[1])
    torch.testing.assert_close(seen["unembed.hook_out"], out.logits, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_scores_are_not_offered(name, model, tokens):
    assert not any("scores" in site or "pattern" in site for site in model(name).sites())
    with pytest.raises(UserError, match="no site"):
        model(name).run(tokens, None, ["blocks.0.attn.hook_attn_scores"])


@pytest.mark.parametrize("name", NAMES)
def test_padding_in_front_is_refused_and_behind_is_not(name, model, tokens):
    site = ["blocks.1.hook_resid_post"]
    mask = torch.ones_like(tokens, dtype=torch.bool)
    mask[0, 6:] = False
    short = model(name).run(tokens[:1, :6], None, site)[site[0]]
    padded = model(name).run(tokens, mask, site)[site[0]]
    torch.testing.assert_close(padded[:1, :6], short, atol=1e-5, rtol=1e-5)
    with pytest.raises(UserError, match="pad at the end"):
        model(name).run(tokens, mask.flip(1), site)


@pytest.mark.parametrize("name", NAMES)
def test_edits_reach_the_logits(name, model, tokens):
    logits = ["unembed.hook_out"]
    plain = model(name).run(tokens, None, logits)[logits[0]]
    edit = [("blocks.0.hook_resid_post", torch.zeros_like)]
    assert not torch.equal(model(name).run(tokens, None, logits, edit)[logits[0]], plain)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_known_is_called_unknown(name, model):
    assert model(name).info.residual == "unknown"
    assert model(name).position_table() is None
