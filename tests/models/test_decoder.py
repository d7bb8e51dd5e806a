import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from posprobe.models.build import build
from posprobe.models.config import DecoderConfig

LOGITS = "unembed.hook_out"
SIZES = {"n_layers": 2, "n_heads": 3, "d_model": 24, "n_ctx": 16, "d_vocab": 30}
# Where our names differ from GPT-2's; its projections are stored transposed.
PARTS = {"ln1": "ln_1", "ln2": "ln_2", "attn.qkv": "attn.c_attn", "attn.out": "attn.c_proj"}
PARTS |= {"mlp.up": "mlp.c_fc", "mlp.down": "mlp.c_proj"}


@pytest.fixture
def small_decoder(widen):
    def make(**settings):
        model = build(DecoderConfig(**(SIZES | settings)))
        widen(model)
        return model

    return make


def as_gpt2(model):
    """Put our weights into transformers' GPT-2."""
    config = GPT2Config(
        n_layer=2,
        n_head=3,
        n_embd=24,
        n_positions=16,
        vocab_size=30,
        activation_function="gelu_new",
    )
    theirs = GPT2LMHeadModel(config).eval()
    state = {}
    for name, weight in model.state_dict().items():
        if name.startswith("blocks."):
            _, layer, part = name.split(".", 2)
            part, kind = part.rsplit(".", 1)
            linear = weight.ndim == 2
            state[f"transformer.h.{layer}.{PARTS[part]}.{kind}"] = weight.T if linear else weight
    state |= {
        "transformer.wte.weight": model.embed.weight,
        "transformer.wpe.weight": model.pos_embed.weight,
        "transformer.ln_f.weight": model.ln_final.weight,
        "transformer.ln_f.bias": model.ln_final.bias,
        "lm_head.weight": model.embed.weight,
    }
    theirs.load_state_dict(state, strict=True)
    return theirs


def test_agrees_with_transformers_gpt2(small_decoder):
    model = small_decoder(position="learned", bias=True)
    ids = torch.randint(0, 30, (2, 10))
    with torch.no_grad():
        expected = as_gpt2(model)(ids).logits
    torch.testing.assert_close(
        model.run(ids, sites=[LOGITS])[LOGITS], expected, rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("position", ["learned", "sinusoidal", "none"])
def test_fused_and_explicit_attention_agree(small_decoder, position, causal):
    model = small_decoder(position=position, causal=causal)
    ids = torch.randint(0, 30, (2, 10))
    fused = model.run(ids, sites=[LOGITS])[LOGITS]
    explicit = model.run(ids, sites=[LOGITS, "blocks.0.attn.hook_pattern"])[LOGITS]
    torch.testing.assert_close(fused, explicit, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("position", ["learned", "sinusoidal", "none"])
def test_left_padding_moves_nothing(small_decoder, position):
    model = small_decoder(position=position)
    ids = torch.randint(0, 30, (2, 8))
    padded = torch.cat([torch.zeros(2, 4, dtype=torch.long), ids], dim=1)
    mask = torch.arange(12)[None].expand(2, -1) >= 4
    site = "blocks.1.hook_resid_post"
    got = model.run(padded, mask, [site])[site]
    assert got.isfinite().all()
    expected = model.run(ids, sites=[site])[site]
    torch.testing.assert_close(got[:, 4:], expected, rtol=1e-5, atol=1e-5)


def test_causality(small_decoder):
    ids = torch.randint(0, 29, (1, 10))
    changed = ids.clone()
    changed[0, -1] = 29
    for causal in (True, False):
        model = small_decoder(causal=causal)
        before, after = (model.run(x, sites=[LOGITS])[LOGITS][0, 0] for x in (ids, changed))
        assert torch.equal(before, after) == causal


def test_without_positions_a_noncausal_model_sees_a_set(small_decoder):
    model = small_decoder(causal=False)
    ids = torch.randint(0, 30, (1, 10))
    order = torch.randperm(10)
    before, after = (model.run(x, sites=[LOGITS])[LOGITS] for x in (ids, ids[:, order]))
    torch.testing.assert_close(before[:, order], after, rtol=1e-4, atol=1e-5)


def test_residuals_can_be_left_out(small_decoder):
    model = small_decoder(no_attn_residual=(1,), no_mlp_residual=(0,))
    sites = [f"blocks.{i}.hook_{n}" for i in (0, 1) for n in ("attn_out", "resid_mid")]
    sites += [f"blocks.{i}.hook_{n}" for i in (0, 1) for n in ("mlp_out", "resid_post")]
    got = model.run(torch.randint(0, 30, (1, 6)), sites=sites)
    same = {name: torch.equal(got[a], got[b]) for name, a, b in [
        ("attn 0", "blocks.0.hook_attn_out", "blocks.0.hook_resid_mid"),
        ("attn 1", "blocks.1.hook_attn_out", "blocks.1.hook_resid_mid"),
        ("mlp 0", "blocks.0.hook_mlp_out", "blocks.0.hook_resid_post"),
        ("mlp 1", "blocks.1.hook_mlp_out", "blocks.1.hook_resid_post"),
    ]}  # fmt: skip
    assert same == {"attn 0": False, "attn 1": True, "mlp 0": True, "mlp 1": False}


def test_initialisation_is_nanogpts_and_can_be_varied():
    model = build(DecoderConfig())
    assert model.embed.weight.std().item() == pytest.approx(0.02, rel=0.05)
    out = model.blocks[0].attn.out.weight
    assert out.std().item() == pytest.approx(0.02 / 12**0.5, rel=0.05)
    wide = model.reinit(0, mean=4.0, std=0.2)
    for weight in (wide.embed.weight, wide.blocks[0].attn.out.weight):
        assert weight.mean().item() == pytest.approx(4.0, abs=0.01)
        assert weight.std().item() == pytest.approx(0.2, rel=0.05)
    assert torch.equal(wide.ln_final.weight, torch.ones(384))
    assert wide.unembed.head.weight is wide.embed.weight


def test_table_and_sites(small_decoder):
    assert small_decoder(position="learned").position_table().rows.shape == (16, 24)
    assert small_decoder().position_table() is None
    assert "hook_pos_embed" not in small_decoder().sites()
    assert "blocks.1.attn.hook_z" in small_decoder().sites()
