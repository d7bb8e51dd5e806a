import numpy as np
import pytest
import torch

from posprobe.activations.logits import counted_pairs, feed_logit_terms
from posprobe.analysis.head_sums import HeadSums
from posprobe.core.errors import UserError
from posprobe.data.batches import batches
from posprobe.data.token_set import TokenSet
from posprobe.models.build import build
from posprobe.models.config import EncoderConfig

SIZES = {"n_layers": 2, "n_heads": 3, "d_model": 36, "d_pos": 12, "d_mlp": 24, "n_ctx": 24}
SPECIAL = (0, 1)


def encoder(**settings):
    return build(EncoderConfig(**SIZES, d_vocab=30, special_ids=SPECIAL, **settings), std=0.3)


def token_set(lengths, seed=0):
    ids = np.random.default_rng(seed).integers(2, 30, size=sum(lengths))
    ids[np.cumsum([0, *lengths[:-1]])] = 1  # each document opens with a special token
    return TokenSet(
        name="test",
        ids=ids,
        lengths=np.array(lengths),
        documents=np.arange(len(lengths)),
        special_ids=SPECIAL,
    )


def widen_bias(model):
    for block in model.blocks:
        torch.nn.init.normal_(block.attn.relative_bias.weight)
    return model


def shares(model, tokens, batch_size=4, equal_length=False):
    sums = HeadSums(model.info.n_layers, model.info.n_heads, model.info.logit_terms)
    found = batches(tokens, batch_size=batch_size, pad_id=0, equal_length=equal_length)
    feed_logit_terms(model, found, sums.update)
    return sums.result(checkpoint="test")


def test_terms_of_each_layer_arrive_once_and_add_up():
    model = widen_bias(encoder())
    tokens = token_set([10, 7])
    (batch,) = batches(tokens, batch_size=2, pad_id=0)
    sites = [f"blocks.{i}.attn.hook_attn_scores" for i in range(2)]
    whole = model.run(batch.tokens, batch.mask, sites)
    seen = []

    def consume(layer, terms, allowed, documents):
        assert set(terms) == {"ap", "sem", "rp"}
        total = terms["ap"] + terms["sem"] + terms["rp"]
        torch.testing.assert_close(total, whole[sites[layer]], rtol=1e-4, atol=1e-5)
        assert torch.equal(allowed, counted_pairs(batch.text_mask, causal=False))
        assert documents.tolist() == [0, 1]
        seen.append(layer)

    feed_logit_terms(model, [batch], consume)
    assert seen == [0, 1]


def test_shares_are_those_of_plain_loops():
    model = widen_bias(encoder())
    tokens = token_set([9, 6])
    found = shares(model, tokens)
    products = np.zeros((2, 3, 3))
    for row in tokens:
        ids = torch.from_numpy(row)[None]
        for layer in range(2):
            names = [f"blocks.{layer}.attn.hook_attn_scores_{t}" for t in ("ap", "sem", "rp")]
            got = model.run(ids, sites=names)
            terms = np.stack([got[n][0].double().numpy() for n in names])
            for head in range(3):
                for q in range(1, len(row)):  # the special token at 0 is neither query nor key
                    x = terms[:, head, q, 1:]
                    x = x - x.mean(axis=1, keepdims=True)
                    products[layer, head] += x @ x.sum(0)
    np.testing.assert_allclose(
        found.share, products / products.sum(-1, keepdims=True), rtol=1e-4, atol=1e-5
    )
    np.testing.assert_allclose(found.share.sum(-1), 1, atol=1e-9)
    assert found.pairs == 8 * 8 + 5 * 5


def test_silenced_position_stream_has_no_share():
    model = widen_bias(encoder())
    with torch.no_grad():
        for block in model.blocks:
            block.attn.qkv["ap"].weight.zero_()
    assert np.abs(shares(model, token_set([12] * 4)).share[..., 0]).max() == 0


def test_bfloat16_is_close_to_float32():
    model, tokens = widen_bias(encoder()), token_set([16] * 8)
    exact = shares(model, tokens).share
    rounded = shares(model.to(torch.bfloat16), tokens).share
    np.testing.assert_allclose(rounded, exact, atol=1e-2)


@pytest.mark.parametrize("border", ["document", "none"])
def test_batches_and_padding_change_nothing(border):
    model, tokens = widen_bias(encoder(rp_border=border)), token_set([12, 5, 9, 12, 7])
    alone, padded = shares(model, tokens, batch_size=1), shares(model, tokens, batch_size=5)
    np.testing.assert_allclose(alone.share, padded.share, atol=1e-5)
    assert alone.pairs == padded.pairs


def test_block_border_is_run_without_padding():
    model, tokens = widen_bias(encoder(rp_border="block")), token_set([12, 5, 9, 12, 7])
    alone = shares(model, tokens, batch_size=1)
    together = shares(model, tokens, batch_size=5, equal_length=True)
    np.testing.assert_allclose(alone.share, together.share, atol=1e-5)


def test_rp_baseline_has_two_terms_and_others_are_refused():
    assert shares(widen_bias(encoder(position="rp")), token_set([10, 10])).terms == ("sem", "rp")
    with pytest.raises(UserError, match="`heads` needs a DSTG or RP model"):
        feed_logit_terms(encoder(position="rope"), [], lambda *_: None)
