"""Models whose states and logits have a known answer, and the way through the whole command."""

import numpy as np
import pytest
import torch

from posprobe import compare, decomposition, save
from posprobe.core.errors import UserError
from posprobe.loaders import load
from posprobe.loaders.wrapping import wrap
from posprobe.models.build import build
from posprobe.models.config import DecoderConfig, EncoderConfig
from posprobe.pipeline import decomposition as module
from posprobe.pipeline.plan import plan
from tests.checkpoints import save_decoder, save_encoder

TOKENS = {"corpus": "random-tokens", "init": False}


def kept(model, folder):
    model.tokenizer = None
    save(model, folder)
    return str(folder)


def encoder(position, **more):
    torch.manual_seed(0)
    return build(
        EncoderConfig(position=position, n_layers=2, n_heads=2, d_model=32, n_ctx=96, **more)
    )


def silence(model, *names):
    """Zero the projections whose weights hold one of these names."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if any(part in name for part in names):
                weight.zero_()


def test_a_bias_alone_is_relative(tmp_path):
    model = encoder("rp", rp_border="none")
    silence(model, "qkv")
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "relative_bias" in name:
                weight.normal_()
    logits = decomposition(kept(model, tmp_path / "m"), documents=4, **TOKENS).result.logits
    np.testing.assert_allclose(logits.share[..., 2], 1.0, atol=1e-6)


def test_a_model_without_position_has_content_only(tmp_path):
    model = encoder("none")
    found = decomposition(kept(model, tmp_path / "m"), documents=60, **TOKENS).result
    np.testing.assert_allclose(found.logits.share[..., 1], 1.0, atol=0.03)
    assert max(abs(parts.share[0]) for parts in found.states) < 0.01
    assert [parts.rank for parts in found.states] == [0, 0, 0]


def test_a_table_on_constant_tokens_is_position_only(tmp_path):
    model = build(DecoderConfig(position="learned", n_heads=2, d_model=16, n_ctx=32, n_layers=2))
    with torch.no_grad():
        model.embed.weight.zero_()
        model.pos_embed.weight.normal_()
    found = decomposition(kept(model, tmp_path / "m"), documents=4, **TOKENS).result
    for parts in found.states:
        np.testing.assert_allclose(parts.share, [1, 0, 0], atol=1e-6)
    np.testing.assert_allclose(found.logits.share[..., 1], 0, atol=1e-6)


def test_the_first_block_of_a_dstg_model_agrees_with_its_exact_terms(tmp_path):
    found = decomposition(
        str(save_encoder(tmp_path / "dstg")), documents=200, corpus="random-tokens"
    ).result
    entering = {parts.stream: parts for parts in found.states if parts.layer == -1}
    np.testing.assert_allclose(entering["ap"].share, [1, 0, 0], atol=1e-9)
    position, _, content, _ = found.logits.agreement[0].T
    assert content.min() > 0.99
    # The mean over 200 documents holds a 200th of the content, which lowers the correlation.
    share = found.logits.share[0]
    expected = np.sqrt(1 / (1 + share[:, 1] / (1 - share[:, 1]) / 200))
    np.testing.assert_allclose(position, expected, atol=0.05)


def test_shipped_dstg_agrees_in_its_first_block():
    found = decomposition("dstg-tiny", documents=40, length=64, init=False).result
    assert found.logits.agreement[0, :, 0].min() > 0.97


def test_leaving_out_the_first_positions(tmp_path):
    nope = str(save_decoder(tmp_path / "nope"))
    found = decomposition(nope, documents=6, start=3, init=False).result
    whole = decomposition(nope, documents=6, init=False).result
    assert (found.first, found.positions) == (3, whole.positions - 3)
    assert all(parts.peak >= 3 for parts in found.states)
    assert len(found.logits.offsets) < len(whole.logits.offsets) or whole.positions > 35


def test_a_model_over_characters_reads_random_ids_unless_told_otherwise(tmp_path):
    report = decomposition(str(save_decoder(tmp_path / "nope")), documents=4, init=False)
    assert report.provenance.tokens[0].name == "random token ids"


def test_special_tokens_do_not_count(tmp_path):
    dstg = str(save_encoder(tmp_path / "dstg"))
    report = decomposition(dstg, documents=4, init=False)
    tokens = report.provenance.tokens[0]
    special = set(tokens.special_ids)
    assert special
    _, rows = module.open_decomposition(dstg, module.DecompositionOptions(documents=4))
    text = [token for token in rows[0].tolist() if token not in special]
    assert report.result.positions == len(text)


def test_a_wrapped_model_has_states_and_logits():
    from transformers import GPT2Config, GPT2LMHeadModel

    from posprobe.core.provenance import CheckpointSource
    from posprobe.pipeline.progress import silent

    config = GPT2Config(vocab_size=50, n_positions=24, n_embd=32, n_layer=2, n_head=4)
    torch.manual_seed(0)
    source = CheckpointSource(ref="gpt2", format="test", sha256="0" * 64)
    model = wrap(lambda: GPT2LMHeadModel(config).eval(), source=source, tokenizer=None)
    chosen = module.DecompositionOptions(documents=5, length=16)
    from posprobe.pipeline.tokens import corpus_tokens

    tokens = corpus_tokens(model, "random-tokens", documents=5, seed=0, length=16)
    found = module._measure(model, tokens, chosen, silent, what="test")
    assert [parts.layer for parts in found.states] == [-1, 0, 1]
    assert found.logits.share.shape == (2, 4, 3)
    assert found.logits.agreement.shape == (2, 4, 0)
    assert found.logits.offsets.max() == 0  # causal


def test_the_same_command_gives_the_same_bytes(tmp_path):
    dstg = str(save_encoder(tmp_path / "dstg"))
    one, other = (
        decomposition(dstg, documents=4, no_cache=True).result.to_json() for _ in range(2)
    )
    assert one == other


def test_comparing_pairs_the_documents(tmp_path):
    refs = [str(save_encoder(tmp_path / kind, position=kind)) for kind in ("ap", "rp")]
    found = compare(*refs, measures="decomposition", documents=12, init=False).result
    states = [d for d in found.differences if d.quantity == "share of the states, position"]
    assert {d.method for d in states if np.isfinite(d.low)} == {"paired"}
    heads = [d for d in found.differences if d.quantity == "share of the logits"]
    assert {d.place for d in heads} == {"absolute", "content", "relative"}
    for item in states:
        assert item.difference == pytest.approx(item.b - item.a)


def test_long_sequences_have_fewer_groups_so_that_the_sums_stay_small(tmp_path):
    model = load(str(save_decoder(tmp_path / "nope")))
    assert module.group_count(model, 64) == 10
    # Two layers of two heads have 32 bytes × size² a group, and there is room for 2 GiB.
    assert [module.group_count(model, size) for size in (2048, 2896, 8192)] == [10, 8, 4]


def test_a_plan_counts_documents_and_memory(tmp_path):
    facts = plan("decomposition", [str(save_decoder(tmp_path / "nope"))], documents=7)
    assert facts["documents"] == 7
    assert facts["memory_mib"] > 0


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"start": 500}, "--start 500: leaves fewer than two"),
        ({"documents": 1}, "--documents 1: must be at least 2"),
        ({"threshold": 0.0}, "--threshold 0"),
        ({"length": 9999}, "--length 9999"),
    ],
)
def test_bad_options_are_named(tmp_path, options, expected):
    with pytest.raises(UserError, match=expected):
        decomposition(str(save_decoder(tmp_path / "nope")), **options)
