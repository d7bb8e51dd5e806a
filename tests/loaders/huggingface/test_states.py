"""What the sites of a loaded model hold, against transformers and against one another."""

import pytest
import torch
from torch.nn.functional import layer_norm

from posprobe.loaders.weights import read_weights


def _close(one, other, atol=1e-5):
    torch.testing.assert_close(one, other, atol=atol, rtol=1e-5)


def _all(model, tokens, mask=None):
    return model.run(tokens, mask, model.sites())


def test_logits_and_states_equal_those_of_transformers(name, network, model, tokens):
    reference, wrapped = network(name)[0], model(name)
    with torch.no_grad():
        out = reference(tokens, output_hidden_states=True)
    seen = _all(wrapped, tokens)
    _close(seen["blocks.0.hook_resid_pre"], out.hidden_states[0])
    _close(seen["blocks.0.hook_resid_post"], out.hidden_states[1])
    if wrapped.info.has_head:
        _close(seen["unembed.hook_out"], out.logits)
    else:
        assert "unembed.hook_out" not in seen


def test_the_same_text_alone_and_behind_padding(name, model, tokens):
    wrapped = model(name)
    pad = wrapped.info.pad_id or 0
    padded = torch.cat([torch.full((2, 4), pad), tokens], dim=1)
    alone, behind = _all(wrapped, tokens), _all(wrapped, padded, padding(tokens, 4, 0))
    after = torch.cat([tokens, torch.full((2, 3), pad)], dim=1)
    before = _all(wrapped, after, padding(tokens, 0, 3))
    for site, value in alone.items():
        square = "hook_attn_scores" in site or "hook_pattern" in site
        _close(behind[site][:, :, 4:, 4:] if square else behind[site][:, 4:], value)
        _close(before[site][:, :, :9, :9] if square else before[site][:, :9], value)


def padding(tokens, front: int, end: int):
    length = tokens.shape[1]
    mask = torch.zeros(tokens.shape[0], front + length + end, dtype=torch.bool)
    mask[:, front : front + length] = True
    return mask


def test_sites_have_the_axes_that_their_names_promise(name, model, tokens):
    wrapped = model(name)
    info, seen = wrapped.info, _all(wrapped, tokens)
    heads = (2, 9, info.n_heads, info.d_head)
    square = (2, info.n_heads, 9, 9)
    for layer in range(info.n_layers):
        at = f"blocks.{layer}."
        for site in ("hook_resid_pre", "hook_attn_out", "hook_mlp_out", "hook_resid_post"):
            assert seen[at + site].shape == (2, 9, info.d_model)
        for site in ("hook_q", "hook_z"):
            assert seen[at + "attn." + site].shape == heads
        for site in ("hook_k", "hook_v"):
            assert info.n_heads % seen[at + "attn." + site].shape[2] == 0
        for site in ("hook_attn_scores", "hook_pattern"):
            assert seen[at + "attn." + site].shape == square
    assert seen["hook_embed"].shape[:2] == (2, 9)
    assert ("hook_pos_embed" in seen) == (info.position == "learned")


def test_the_residual_stream_adds_up_as_its_form_says(name, model, tokens):
    wrapped = model(name)
    seen = _all(wrapped, tokens)
    for layer in range(wrapped.info.n_layers):
        pre, attention, mlp, post = (
            seen[f"blocks.{layer}.hook_{part}"]
            for part in ("resid_pre", "attn_out", "mlp_out", "resid_post")
        )
        mid = seen.get(f"blocks.{layer}.hook_resid_mid")
        match wrapped.info.residual:
            case "plain":
                _close(mid, pre + attention)
                _close(post, mid + mlp)
            case "parallel":
                assert mid is None
                _close(post, pre + attention + mlp)
            case "post-norm":
                assert (mid - pre - attention).abs().max() > 0.1
                assert (post - mid - mlp).abs().max() > 0.1


NORMS = {
    "bert": (
        "bert.encoder.layer.1.attention.output.LayerNorm",
        "bert.encoder.layer.1.output.LayerNorm",
    ),
    "distilbert": (
        "distilbert.transformer.layer.1.sa_layer_norm",
        "distilbert.transformer.layer.1.output_layer_norm",
    ),
    "opt-post-norm": (
        "model.decoder.layers.1.self_attn_layer_norm",
        "model.decoder.layers.1.final_layer_norm",
    ),
}


@pytest.mark.parametrize("name", NORMS)
def test_post_norm_states_are_the_norm_of_the_sum(name, folder, model, tokens):
    weights, seen = read_weights(folder(name))[0], _all(model(name), tokens)
    at = "blocks.1.hook_"

    def norm(x, which):
        gain, bias = (weights[f"{which}.{part}"] for part in ("weight", "bias"))
        return layer_norm(x, gain.shape, gain, bias, eps=1e-12 if "opt" not in name else 1e-5)

    first, second = NORMS[name]
    _close(seen[at + "resid_mid"], norm(seen[at + "resid_pre"] + seen[at + "attn_out"], first))
    _close(seen[at + "resid_post"], norm(seen[at + "resid_mid"] + seen[at + "mlp_out"], second))


def test_embeddings_are_rows_of_the_tables(model, tokens):
    seen = model("gpt2").run(
        tokens, None, ["hook_embed", "hook_pos_embed", "blocks.0.hook_resid_pre"]
    )
    rows = torch.from_numpy(model("gpt2").position_table().rows[:9]).float()
    _close(seen["hook_pos_embed"], rows.expand(2, 9, -1))
    _close(seen["blocks.0.hook_resid_pre"], seen["hook_embed"] + seen["hook_pos_embed"])


def test_dropout_is_off_and_two_runs_are_equal_to_the_bit(name, model, tokens):
    one, other = _all(model(name), tokens), _all(model(name), tokens)
    assert all(torch.equal(one[site], other[site]) for site in one)


def test_only_asked_sites_are_kept_and_own_their_memory(name, model, tokens):
    asked = ["blocks.1.attn.hook_q", "blocks.0.hook_resid_post", "blocks.1.attn.hook_attn_scores"]
    seen = model(name).run(tokens, None, asked)
    assert sorted(seen) == sorted(asked)
    for value in seen.values():
        assert value.is_contiguous()
        assert not value.requires_grad
        assert value.untyped_storage().nbytes() == value.numel() * value.element_size()


@pytest.mark.parametrize("name", ["gpt2", "llama", "bert", "distilbert"])
def test_asking_for_one_site_or_all_gives_the_same(name, model, tokens):
    everything = _all(model(name), tokens)
    for site, value in everything.items():
        _close(model(name).run(tokens, None, [site])[site], value)
