"""What a run returns is the caller's: no weight, and nothing that the run itself writes into."""

import pytest
import torch

from posprobe.models.build import build
from posprobe.models.config import DecoderConfig, EncoderConfig

DECODER = {"n_layers": 2, "n_heads": 2, "d_model": 16, "n_ctx": 12, "d_vocab": 30}
ENCODER = DECODER | {"d_pos": 8, "d_mlp": 16}
MODELS = {
    **{kind: DecoderConfig(position=kind, **DECODER) for kind in ("none", "learned")},
    **{kind: EncoderConfig(position=kind, **ENCODER) for kind in ("dstg", "ap", "rp", "rope")},
}
TOKENS = torch.arange(24).reshape(2, 12)


@pytest.fixture(params=MODELS)
def model(request):
    return build(MODELS[request.param], seed=0)


def test_all_sites_at_once_are_those_copied_as_they_pass(model):
    copies = {}

    def copy(activation, hook):
        copies[hook.name] = activation.detach().clone()

    with torch.no_grad():
        model.run_with_hooks(TOKENS, None, fwd_hooks=[(site, copy) for site in model.sites()])
    kept = model.run(TOKENS, None, model.sites())
    assert kept.keys() == copies.keys()
    for site, activation in kept.items():
        assert torch.equal(activation, copies[site]), site


def test_writing_into_what_was_returned_changes_no_weight(model):
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    for activation in model.run(TOKENS, None, model.sites()).values():
        activation.fill_(7.0)
    for name, weight in model.state_dict().items():
        assert torch.equal(weight, before[name]), name


def test_an_edit_in_place_leaves_earlier_sites_as_they_were(model):
    first, second = "blocks.0.hook_resid_post", "blocks.1.hook_resid_pre"
    alone = model.run(TOKENS, None, [first])[first]
    beside = model.run(TOKENS, None, [first], [(second, lambda x: x.zero_())])[first]
    assert torch.equal(alone, beside)


def test_returned_activations_hold_no_more_memory_than_they_show(model):
    for site, activation in model.run(TOKENS, None, model.sites()).items():
        size = activation.numel() * activation.element_size()
        assert activation.untyped_storage().nbytes() == size, site
