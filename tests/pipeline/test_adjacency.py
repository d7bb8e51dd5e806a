"""What arXiv 2501.00073 reports of untrained models, at the paper's size."""

import numpy as np
import pytest

from posprobe import adjacency
from posprobe.core.errors import UserError
from posprobe.loaders import load
from posprobe.pipeline.options import AdjacencyOptions
from posprobe.pipeline.progress import silent
from tests.checkpoints import save_decoder, save_encoder


def triples(report, condition="random init", feature="cosine"):
    return {
        score.site: score.triples_mean
        for score in report.result.scores
        if (score.condition, score.feature, score.head) == (condition, feature, None)
    }


@pytest.fixture(scope="module")
def untrained():
    return adjacency("nanogpt-nope-paper", init=True, noncausal=True, permute=True, prompts=25)


def test_position_appears_with_the_first_causal_attention(untrained):
    found = triples(untrained)
    assert 0.45 <= found["hook_embed"] <= 0.52
    assert found["blocks.0.attn.hook_z"] >= 0.95
    assert all(found[f"blocks.{layer}.attn.hook_z"] >= 0.98 for layer in range(1, 6))
    residual = [found[f"blocks.{layer}.hook_resid_post"] for layer in range(6)]
    assert all(0.7 <= score <= 0.9 for score in residual)


def test_without_the_causal_mask_there_is_none(untrained):
    assert all(0.4 <= score <= 0.6 for score in triples(untrained, "non-causal").values())


def test_order_and_not_content_decides(untrained):
    permuted = triples(untrained, "permuted tokens")
    assert permuted["blocks.0.attn.hook_z"] >= 0.95


def test_wide_initial_weights_destroy_it():
    wide = triples(adjacency("nanogpt-nope-paper", init=True, init_std=0.2, prompts=25))
    assert all(score < 0.8 for score in wide.values())


def test_each_seed_is_a_condition_of_its_own(tmp_path):
    nope = save_decoder(tmp_path / "nope")
    result = adjacency(str(nope), init=True, init_seeds=2, prompts=3).result
    conditions = {score.condition for score in result.scores}
    assert conditions == {"checkpoint", "random init, seed 0", "random init, seed 1"}


def test_heads_are_scored_one_by_one(tmp_path):
    nope = save_decoder(tmp_path / "nope")
    result = adjacency(str(nope), prompts=3, per_head=True, site=("attn.hook_z",)).result
    assert sorted({score.head for score in result.scores if score.head is not None}) == [0, 1]


def test_text_of_one_length_without_special_tokens(tmp_path):
    nope = save_decoder(tmp_path / "nope")
    report = adjacency(str(nope), prompts=3, corpus="generated", length=20)
    assert (report.result.sequences, report.result.length) == (3, 20)
    assert "generated" in report.provenance.tokens[0].name


def test_the_batch_size_changes_nothing_where_texts_hold_special_tokens(tmp_path):
    dstg = save_encoder(tmp_path / "dstg")
    model = load(dstg)
    model.tokenizer.special_ids = (model.tokenizer.encode("e")[0],)
    from posprobe.pipeline import adjacency as stage

    results = []
    for size in (1, 16):
        chosen = AdjacencyOptions(prompts=40, corpus="generated", length=12, batch_size=size)
        tokens = stage.read_sequences(model, chosen)
        assert "alike in length and special tokens" in tokens.name
        result = stage._result("dstg", {"checkpoint": model}, tokens, chosen, silent)
        results.append(result.scores[0].rows)
    np.testing.assert_array_equal(*results)


def test_mean_without_spread_is_refused():
    with pytest.raises(UserError, match="needs --init-std"):
        adjacency("nanogpt-nope-paper", init=True, init_mean=4.0)
