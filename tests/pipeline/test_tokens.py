import numpy as np
import pytest

from posprobe.core.errors import CorpusError, UserError
from posprobe.data.token_set import TokenSet
from posprobe.loaders import load
from posprobe.pipeline.sites import available, expand_sites
from posprobe.pipeline.tokens import corpus_tokens, one_length, permuted, task_tokens
from tests.checkpoints import save_decoder, save_encoder


@pytest.fixture
def encoder(tmp_path):
    return load(save_encoder(tmp_path / "dstg"))


def test_generated_documents_fill_the_context_and_say_what_they_are(encoder):
    tokens = corpus_tokens(encoder, None, documents=3, seed=1)
    assert set(tokens.lengths) == {32}
    assert tokens.source.name == "generated documents (seed 1)"
    assert tokens.source.truncated == 3
    assert tokens.source.special_ids == (96,)
    other = corpus_tokens(encoder, None, documents=3, seed=2)
    assert other.source.sha256 != tokens.source.sha256


def test_random_tokens_avoid_special_ones(encoder):
    tokens = corpus_tokens(encoder, "random-tokens", documents=50, seed=0)
    assert 96 not in tokens.ids
    assert tokens.ids.max() <= 95


def test_a_vocabulary_larger_than_the_model_is_refused(tmp_path):
    small = load(save_decoder(tmp_path / "small", d_vocab=50))
    with pytest.raises(CorpusError, match="--tokenizer"):
        task_tokens(small, "reversal", prompts=2, seed=0)


def test_sequences_of_the_commonest_length_are_kept():
    tokens = TokenSet(
        name="test", ids=np.arange(9), lengths=np.array([3, 2, 2, 2]), documents=np.arange(4)
    )
    assert one_length(tokens).tolist() == [[3, 4], [5, 6], [7, 8]]


def test_permuting_keeps_special_tokens_in_place():
    rows = np.array([[0, 5, 6, 7, 8, 1]] * 20)
    mixed = permuted(rows, (0, 1), seed=0)
    assert (mixed[:, 0] == 0).all()
    assert (mixed[:, -1] == 1).all()
    assert (np.sort(mixed) == np.sort(rows)).all()
    assert (mixed != rows).any()
    assert (permuted(rows, (0, 1), seed=0) == mixed).all()


def test_a_site_without_its_layer_stands_for_all(encoder):
    assert expand_sites(encoder, ["attn.hook_z"]) == [f"blocks.{i}.attn.hook_z" for i in (0, 1)]
    assert expand_sites(encoder, ["blocks.1.attn.hook_z", "hook_embed"])[0].startswith("blocks.1")
    with pytest.raises(UserError, match="nearest"):
        expand_sites(encoder, ["hook_zz"])
    assert available(encoder, ["hook_embed", "hook_absent"]) == ["hook_embed"]
    with pytest.raises(UserError, match="none of the usual sites"):
        available(encoder, ["hook_absent"])
