import numpy as np
import pytest
import torch

from posprobe.core.errors import UserError
from posprobe.models.config import EncoderConfig
from tests.models.reference import dstg_logits

POSITIONS = ("dstg", "ap", "rp", "rope", "none")
LOGITS = "unembed.hook_out"


def tokens(batch=3, length=12, vocabulary=40):
    return torch.randint(1, vocabulary, (batch, length))


@pytest.mark.parametrize("residual", ["normed", "plain"])
def test_dstg_agrees_with_the_plain_reference(small_encoder, residual):
    model = small_encoder(residual=residual).double()
    ids = tokens(1)
    state = {name: weight.numpy() for name, weight in model.state_dict().items()}
    expected, addends = dstg_logits(state, model.cfg, ids[0].tolist())
    terms = [f"blocks.1.attn.hook_attn_scores_{term}" for term in ("ap", "sem", "rp")]
    got = model.run(ids, sites=[LOGITS, *terms])
    np.testing.assert_allclose(got[LOGITS][0], expected, rtol=1e-8, atol=1e-8)
    for site, addend in zip(terms, addends, strict=True):
        np.testing.assert_allclose(got[site][0], addend, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("position", POSITIONS)
def test_fused_and_explicit_attention_agree(small_encoder, position):
    model = small_encoder(position=position)
    ids = tokens()
    mask = torch.ones_like(ids, dtype=torch.bool)
    mask[1, 8:] = False
    fused = model.run(ids, mask, [LOGITS])[LOGITS]
    heard = [f"blocks.{i}.attn.hook_pattern" for i in range(2)]
    explicit = model.run(ids, mask, [LOGITS, *heard])[LOGITS]
    torch.testing.assert_close(fused, explicit, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("position", POSITIONS)
def test_padding_moves_nothing(small_encoder, position, side):
    model = small_encoder(position=position).double()
    ids = tokens(2)
    alone = model.run(ids, sites=[LOGITS, "blocks.1.hook_resid_post"])
    pad = torch.zeros(2, 4, dtype=torch.long)
    padded = torch.cat([pad, ids] if side == "left" else [ids, pad], dim=1)
    mask = padded > 0
    batched = model.run(padded, mask, [LOGITS, "blocks.1.hook_resid_post"])
    for site, expected in alone.items():
        torch.testing.assert_close(batched[site][mask].view_as(expected), expected)


def test_block_border_counts_padding_as_text(small_encoder):
    model = small_encoder(rp_border="block")
    site = "blocks.0.attn.hook_attn_scores_rp"
    bias = model.run(tokens(2), torch.ones(2, 12, dtype=torch.bool), [site])[site]
    edge = torch.cat([bias[:, :, 0], bias[:, :, -1], bias[..., 0], bias[..., -1]], dim=-1)
    assert edge.abs().max() == 0
    assert bias[:, :, 1:-1, 1:-1].abs().min() > 0
    assert model.info.equal_lengths


@pytest.mark.parametrize("residual", ["normed", "plain"])
@pytest.mark.parametrize("position", ["dstg", "rope"])
def test_resid_mid_is_what_the_residual_form_says(small_encoder, position, residual):
    model = small_encoder(position=position, residual=residual)
    suffixes = ("_ap", "_sem") if position == "dstg" else ("",)
    for suffix in suffixes:
        names = ("hook_resid_pre", "ln1.hook_normalized", "hook_attn_out", "hook_resid_mid")
        pre, normed, attended, mid = (
            model.run(torch.arange(1, 9)[None], sites=[f"blocks.1.{name}{suffix}"]).popitem()[1]
            for name in names
        )
        base = normed if residual == "normed" else pre
        torch.testing.assert_close(mid, base + attended)
        assert not torch.allclose(normed, pre)


def test_terms_add_up_to_the_logits(small_encoder):
    model = small_encoder()
    scores = "blocks.1.attn.hook_attn_scores"
    terms = [f"{scores}_{term}" for term in model.info.logit_terms]
    got = model.run(tokens(), sites=[scores, *terms])
    torch.testing.assert_close(sum(got[t] for t in terms), got[scores], rtol=1e-4, atol=1e-5)
    assert got[scores].isfinite().all()


def test_last_ap_output_reaches_the_loss_only_through_the_feed_forward_layer(small_encoder):
    model = small_encoder()
    ids = tokens()
    last = model.blocks[-1]

    def gradient(freeze_mlp: bool):
        model.zero_grad()
        handle = last.mlp.register_forward_pre_hook(
            lambda _, args: ((args[0][0].detach(), args[0][1]),) if freeze_mlp else None
        )
        loss = torch.nn.functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten())
        loss.backward()
        handle.remove()
        weight = last.attn.out["ap"].weight.grad
        return 0.0 if weight is None else weight.abs().max().item()

    assert gradient(freeze_mlp=False) > 0
    assert gradient(freeze_mlp=True) == 0


def test_separate_feed_forward_layers_do_not_mix_the_streams(small_encoder):
    model = small_encoder(d_mlp_pos=16)
    a, b = tokens(1), tokens(1)
    site = "blocks.0.hook_mlp_out_ap"
    # With its attention output removed, the AP stream knows the position alone.
    silence = [("blocks.0.hook_attn_out_ap", torch.zeros_like)]
    first, second = (model.run(x, sites=[site], edits=silence)[site] for x in (a, b))
    torch.testing.assert_close(first, second)


def test_position_table_leaves_out_the_padding_row(small_encoder):
    table = small_encoder(position="ap", pad_id=2).position_table()
    assert table.offset == 3
    assert table.rows.shape == (24, 36)
    assert small_encoder(position="rope").position_table() is None


def test_edits_replace_an_activation(small_encoder):
    model = small_encoder()
    site = "blocks.0.attn.hook_attn_scores_ap"
    ids = tokens()
    before = model.run(ids, sites=[LOGITS])[LOGITS]
    after = model.run(ids, sites=[LOGITS, site], edits=[(site, torch.zeros_like)])
    assert after[site].abs().max() == 0
    assert not torch.allclose(before, after[LOGITS])


def test_whole_state_is_both_streams_and_can_be_edited(small_encoder):
    model = small_encoder()
    ids = tokens()
    name = "blocks.0.hook_resid_post"
    got = model.run(ids, sites=[name, f"{name}_ap", f"{name}_sem"])
    assert torch.equal(got[name], torch.cat([got[f"{name}_ap"], got[f"{name}_sem"]], -1))
    zeroed = model.run(ids, sites=["blocks.1.hook_resid_pre_ap"], edits=[(name, torch.zeros_like)])
    assert zeroed["blocks.1.hook_resid_pre_ap"].abs().max() == 0


def test_reinit_is_seeded_and_leaves_the_model_and_the_generator_alone(small_encoder):
    model = small_encoder()
    kept = model.embed.weight.clone()
    state = torch.random.get_rng_state()
    first, again, other = model.reinit(1), model.reinit(1), model.reinit(2)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert torch.equal(model.embed.weight, kept)
    assert torch.equal(first.embed.weight, again.embed.weight)
    assert not torch.equal(first.embed.weight, other.embed.weight)
    assert first.embed.weight.abs().max() <= 0.02
    wide = model.reinit(1, mean=4.0, std=0.2).embed.weight
    assert wide.mean().item() == pytest.approx(4.0, abs=0.05)
    assert wide.std().item() == pytest.approx(0.2, rel=0.1)


def test_unknown_site_names_the_nearest(small_encoder):
    with pytest.raises(UserError, match=r"blocks\.0\.hook_resid_post"):
        small_encoder().run(tokens(), sites=["blocks.0.hook_resid_pots"])


def test_sequence_longer_than_the_context_is_refused(small_encoder):
    with pytest.raises(UserError, match="30 tokens"):
        small_encoder().run(tokens(1, 30), sites=[LOGITS])


def test_config_round_trip_and_bad_sizes():
    cfg = EncoderConfig(position="rp", special_ids=(0, 1))
    assert EncoderConfig.from_dict(cfg.to_dict()) == cfg
    with pytest.raises(UserError, match="d_pos=10"):
        EncoderConfig(d_pos=10)
    with pytest.raises(UserError, match="unknown settings"):
        EncoderConfig.from_dict({"n_layer": 3})
