"""Interventions, and the bridge against plain hooks on the same weights."""

import pytest
import torch

from posprobe.core.errors import UserError
from posprobe.core.options import LoadOptions
from posprobe.loaders import wrapping
from posprobe.loaders.bridge_model import BridgeModel
from posprobe.loaders.hook_model import HookModel
from posprobe.loaders.huggingface import load_huggingface

BRIDGED = [
    "gpt2",
    "gpt2-by-layer",
    "neox",
    "neox-sequential",
    "llama",
    "mistral",
    "opt",
    "opt-post-norm",
    "bert",
    "roberta",
]
LAST = "blocks.1.hook_resid_post"


@pytest.fixture
def hooked(folder, monkeypatch):
    """Open a model that the bridge knows through plain hooks instead."""

    def load(name):
        monkeypatch.setattr(wrapping, "_knows", lambda network: False)
        return load_huggingface(folder(name), LoadOptions())

    return load


@pytest.mark.parametrize("name", BRIDGED)
def test_language_models_come_through_the_bridge(name, model):
    assert isinstance(model(name), BridgeModel)


@pytest.mark.parametrize(
    "name", ["bert-headless", "distilbert", "modernbert", "gpt2-unscaled", "opt-post-norm-wide"]
)
def test_others_come_through_hooks(name, model):
    assert isinstance(model(name), HookModel)


@pytest.mark.parametrize("name", BRIDGED)
def test_bridge_and_hooks_see_the_same(name, model, hooked, tokens):
    one, other = model(name), hooked(name)
    assert set(one.sites()) == set(other.sites())
    mask = torch.ones_like(tokens, dtype=torch.bool)
    mask[0, :3] = False
    seen, again = one.run(tokens, mask, one.sites()), other.run(tokens, mask, one.sites())
    for site, value in seen.items():
        real = mask if value.shape[:2] == mask.shape else slice(None)
        if value.shape[-2:] == (9, 9):
            real = mask[:, None, :, None].expand_as(value)
        torch.testing.assert_close(value[real], again[site][real], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", BRIDGED)
def test_an_edit_does_the_same_through_bridge_and_hooks(name, model, hooked, tokens):
    one, other = model(name), hooked(name)
    plain = one.run(tokens, None, [LAST])[LAST]

    def edit(x):
        wave = torch.linspace(-1, 1, x.numel()).reshape(x.shape)
        return x * 0.5 + wave

    for site in one.sites():
        results = [
            wrapped.run(tokens, None, [site, LAST], [(site, edit)]) for wrapped in (one, other)
        ]
        torch.testing.assert_close(results[0], results[1], atol=2e-5, rtol=1e-4)
        if site not in ("ln_final.hook_normalized", "unembed.hook_out"):  # They come after it.
            assert (results[0][LAST] - plain).abs().max() > 1e-3, site


def test_edits_come_before_the_site_is_read_and_in_order(name, model, tokens):
    site = "blocks.0.hook_resid_post"
    edits = [(site, lambda x: x * 0 + 1), (site, lambda x: x + 2)]
    seen = model(name).run(tokens, None, [site, "blocks.1.hook_resid_pre"], edits)
    assert bool((seen[site] == 3).all())
    assert bool((seen["blocks.1.hook_resid_pre"] == 3).all())


def test_edits_leave_nothing_behind(name, model, tokens):
    before = model(name).run(tokens, None, [LAST])[LAST]
    model(name).run(tokens, None, [], [("hook_embed", torch.zeros_like)])
    assert torch.equal(model(name).run(tokens, None, [LAST])[LAST], before)


def test_an_edit_in_place_counts(name, model, tokens):
    site = "blocks.0.attn.hook_k"
    done = model(name).run(tokens, None, [LAST], [(site, lambda x: x.zero_())])[LAST]
    asked = model(name).run(tokens, None, [LAST], [(site, torch.zeros_like)])[LAST]
    assert torch.equal(done, asked)
    assert not torch.equal(done, model(name).run(tokens, None, [LAST])[LAST])


def test_edited_scores_stay_masked(name, model, tokens):
    # A key behind the query must not become visible, however high its score is set.
    wrapped = model(name)
    if not wrapped.info.causal:
        pytest.skip("has no causal mask")
    scores, pattern = "blocks.0.attn.hook_attn_scores", "blocks.0.attn.hook_pattern"

    def favour_the_last(x):
        x = x.clone()
        x[..., -1] = 50
        return x

    seen = wrapped.run(tokens, None, [pattern], [(scores, favour_the_last)])[pattern]
    assert seen[..., :-1, -1].abs().max() == 0
    assert seen[..., -1, -1].min() > 0.99


def test_an_edit_may_not_change_the_shape(name, model, tokens):
    with pytest.raises(UserError, match=r"'hook_embed' returns shape \(2, 8"):
        model(name).run(tokens, None, [], [("hook_embed", lambda x: x[:, 1:])])


@pytest.mark.parametrize("site", ["blocks.1.attn.hook_patern", "blocks.2.hook_resid_post", ""])
def test_an_unknown_site_is_refused_with_its_neighbours(name, site, model, tokens):
    for how in ({"sites": [site]}, {"edits": [(site, torch.zeros_like)]}):
        with pytest.raises(UserError, match="posprobe inspect") as caught:
            model(name).run(tokens, None, **how)
        assert repr(site) in str(caught.value)
        assert "\n" not in str(caught.value)


def test_the_nearest_name_is_offered(model, tokens):
    with pytest.raises(UserError, match=r"blocks\.1\.attn\.hook_pattern"):
        model("bert").run(tokens, None, ["blocks.1.attn.hook_patern"])
