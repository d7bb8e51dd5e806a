import numpy as np
import pytest

from posprobe.core.errors import CorpusError, UserError
from posprobe.data.token_set import TokenSet
from posprobe.loaders import load
from posprobe.pipeline.sites import available, expand_sites
from posprobe.pipeline.tokens import alike, corpus_tokens, permuted, task_tokens
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


@pytest.mark.parametrize("d_vocab", [50, 130])
def test_a_vocabulary_of_another_size_than_the_model_is_refused(tmp_path, d_vocab):
    model = load(save_decoder(tmp_path / "other", d_vocab=d_vocab))
    with pytest.raises(CorpusError, match="--tokenizer"):
        task_tokens(model, "reversal", prompts=2, seed=0)


def test_documents_are_cut_at_a_usual_length_unless_asked(tmp_path):
    model = load(save_decoder(tmp_path / "long", n_ctx=600))
    lengths = {corpus_tokens(model, "random-tokens", documents=2, seed=0).longest}
    lengths.add(corpus_tokens(model, "random-tokens", documents=2, seed=0, length=600).longest)
    assert lengths == {512, 600}
    with pytest.raises(CorpusError, match="--length 601"):
        corpus_tokens(model, "random-tokens", documents=2, seed=0, length=601)


@pytest.mark.parametrize(("task", "size"), [("addition", 9), ("reversal", 22), ("ordering", 19)])
def test_front_padding_pads_and_cuts_as_the_fork_does(tmp_path, task, size):
    model = load(save_decoder(tmp_path / "nope"))
    tokens = task_tokens(model, task, prompts=50, seed=0, front_pad=size)
    texts = ["".join(model.tokenizer.characters[i] for i in row) for row in tokens]
    assert {len(text) for text in texts} == {size}
    assert any(text.startswith("\n") for text in texts)
    if task == "addition":
        assert any(text.split("=")[-1].isdigit() for text in texts if "=" in text)


def test_sequences_alike_in_length_and_special_tokens_are_kept():
    ids = np.array([5, 6, 7, 0, 3, 0, 4, 8, 0, 0, 5])
    lengths = np.array([3, 2, 2, 2, 2])
    tokens = TokenSet(
        name="test", ids=ids, lengths=lengths, documents=np.arange(5), special_ids=(0,)
    )
    assert alike(tokens).tolist() == [[0, 3], [0, 4], [0, 5]]


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
    with pytest.raises(UserError, match="queries by keys"):
        expand_sites(encoder, ["attn.hook_attn_scores_ap"])
    assert available(encoder, ["hook_embed", "hook_absent"]) == ["hook_embed"]
    with pytest.raises(UserError, match="none of the usual sites"):
        available(encoder, ["hook_absent"])
