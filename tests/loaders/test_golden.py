"""Checkpoints written by the original codes, against those codes' outputs."""

import numpy as np
import pytest
import torch

from posprobe.loaders import load

TOLERANCE = {"atol": 1e-4, "rtol": 1e-4}
DECODERS = ("nanogpt_a", "nanogpt_b", "nopefork_nope", "nopefork_nores", "nopefork_sin")
ENCODERS = ("neobert_ap", "neobert_rope", "dstg", "dstg_ap_entangled", "dstg_rp_only")
ADDENDS = {"ap": "ap_logits", "sem": "sem_logits", "rp": "rp_bias"}


def expected(golden, name):
    with np.load(golden / f"{name}.expected.npz", allow_pickle=False) as arrays:
        return dict(arrays)


@pytest.mark.parametrize("name", DECODERS)
def test_decoders_agree_with_the_original_code(golden, name):
    model, want = load(golden / name), expected(golden, name)
    layers = range(model.info.n_layers)
    per_layer = {
        "resid": "blocks.{i}.hook_resid_post",
        "mlp_out": "blocks.{i}.hook_mlp_out",
        "attn_in": "blocks.{i}.ln1.hook_normalized",
        "attn_concat": "blocks.{i}.attn.hook_z",
    }
    sites = {key: [s.format(i=i) for i in layers] for key, s in per_layer.items() if key in want}
    whole = {"logits": "unembed.hook_out", "embed": "blocks.0.hook_resid_pre"}
    whole |= {"final_ln": "ln_final.hook_normalized"}
    asked = [*whole.values(), *(site for group in sites.values() for site in group)]
    got = model.run(torch.from_numpy(want["input_ids"]), sites=asked)
    for key, site in whole.items():
        np.testing.assert_allclose(got[site], want[key], err_msg=site, **TOLERANCE)
    for key, group in sites.items():
        for layer, site in enumerate(group):
            flat = got[site].flatten(2)
            np.testing.assert_allclose(flat, want[key][layer], err_msg=site, **TOLERANCE)


@pytest.mark.parametrize("name", ENCODERS)
def test_encoders_agree_with_the_original_code(golden, name):
    model, want = load(golden / name), expected(golden, name)
    mask = torch.from_numpy(want["attention_mask"]).bool()
    layers = range(model.info.n_layers)
    sites = [f"blocks.{i}.hook_resid_post" for i in layers]
    got = model.run(torch.from_numpy(want["input_ids"]), mask, [*sites, "unembed.hook_out"])
    np.testing.assert_allclose(
        got["unembed.hook_out"][mask], want["logits_nonpad"], err_msg="logits", **TOLERANCE
    )
    for layer, site in enumerate(sites):
        real = want["hidden_states"][layer][mask.numpy()]
        np.testing.assert_allclose(got[site][mask], real, err_msg=site, **TOLERANCE)


@pytest.mark.parametrize("name", ["dstg", "dstg_rp_only"])
def test_addends_of_the_logits(golden, name):
    model, want = load(golden / name), expected(golden, name)
    mask = torch.from_numpy(want["attention_mask"]).bool()
    for term in model.info.logit_terms:
        if ADDENDS[term] not in want:
            continue
        sites = [f"blocks.{i}.attn.hook_attn_scores_{term}" for i in range(model.info.n_layers)]
        got = model.run(torch.from_numpy(want["input_ids"]), mask, sites)
        for layer, site in enumerate(sites):
            addend = want[ADDENDS[term]][layer]
            finite = np.isfinite(addend)  # the original hides padded keys inside the addends
            assert finite.any()
            assert got[site].isfinite().all()
            np.testing.assert_allclose(got[site].numpy()[finite], addend[finite], **TOLERANCE)


@pytest.mark.parametrize("name", ["dstg", "neobert_rope"])
def test_patterns_and_rotations(golden, name):
    model, want = load(golden / name), expected(golden, name)
    mask = torch.from_numpy(want["attention_mask"]).bool()
    key = "attention" if "attention" in want else "attention_derived"
    sites = [f"blocks.{i}.attn.hook_pattern" for i in range(model.info.n_layers)]
    got = model.run(torch.from_numpy(want["input_ids"]), mask, sites)
    for layer, site in enumerate(sites):
        by_query = got[site].transpose(1, 2)[mask]
        np.testing.assert_allclose(
            by_query, want[key][layer].transpose(0, 2, 1, 3)[mask.numpy()], **TOLERANCE
        )


def test_position_schemes_and_vocabularies(golden):
    schemes = {name: load(golden / name).info.position for name in (*DECODERS, *ENCODERS)}
    assert schemes == {
        "nanogpt_a": "learned",
        "nanogpt_b": "learned",
        "nopefork_nope": "none",
        "nopefork_nores": "none",
        "nopefork_sin": "sinusoidal",
        "neobert_ap": "learned",
        "neobert_rope": "rope",
        "dstg": "dstg",
        "dstg_ap_entangled": "learned",
        "dstg_rp_only": "rp",
    }
    assert load(golden / "nopefork_nope").tokenizer.size == 96
    assert load(golden / "nanogpt_a").tokenizer.size == 65
    assert load(golden / "dstg").tokenizer is None


def test_residual_form_and_border_follow_the_original_code(golden):
    dstg = load(golden / "dstg")
    assert (dstg.info.residual, dstg.info.equal_lengths) == ("normed", True)
    assert load(golden / "neobert_ap").info.residual == "plain"
    assert load(golden / "nopefork_nores").cfg.no_attn_residual == (1,)
