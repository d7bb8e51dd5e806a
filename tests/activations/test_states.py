import numpy as np
import pytest
import torch

from posprobe.activations.states import stream_states
from posprobe.analysis.position_means import PositionMeans
from posprobe.core.errors import NonFiniteError, UserError
from posprobe.data.batches import batches
from posprobe.data.token_set import TokenSet
from posprobe.models.build import build
from posprobe.models.config import DecoderConfig, EncoderConfig

SITE = "blocks.1.hook_resid_post"
SIZES = {"n_layers": 2, "n_heads": 2, "d_model": 16, "n_ctx": 24, "d_vocab": 30}


@pytest.fixture
def model():
    return build(EncoderConfig(**SIZES, position="ap", d_mlp=24), std=0.3)


def token_set(lengths, seed=0):
    ids = np.random.default_rng(seed).integers(1, 30, size=sum(lengths))
    return TokenSet(
        name="test",
        ids=ids,
        lengths=np.array(lengths),
        documents=np.arange(len(lengths)),
        special_ids=(0,),
    )


def means(model, tokens, **cut):
    sums = PositionMeans(8, site=SITE)
    for batch, states in stream_states(model, batches(tokens, **cut), [SITE]):
        sums.update(states[SITE], batch.text_mask)
    return sums.result().rows


def test_padding_and_batching_change_nothing(model):
    tokens = token_set([8, 24, 12, 9, 15])
    expected = means(model, tokens, batch_size=1)
    for cut in ({"batch_size": 5}, {"batch_size": 2, "by_length": False}):
        np.testing.assert_allclose(means(model, tokens, **cut), expected, atol=1e-5)


def test_two_runs_are_bit_equal(model):
    tokens = token_set([12, 10, 12])
    model.train()  # a caller's slip
    model.eval()
    first, second = (means(model, tokens, batch_size=2) for _ in range(2))
    assert np.array_equal(first, second)


def test_only_the_asked_sites_are_kept_and_as_copies(model):
    batch = batches(token_set([12, 12]), batch_size=2)
    ((_, states),) = stream_states(model, batch, [SITE, "blocks.0.attn.hook_q"])
    assert set(states) == {SITE, "blocks.0.attn.hook_q"}
    for activation in states.values():
        assert activation.untyped_storage().nbytes() == activation.numel() * 4
        assert not activation.requires_grad


def test_one_batch_is_held_at_a_time(model):
    """Memory is flat in the corpus: earlier activations can be freed."""
    import weakref

    seen = []
    for _, states in stream_states(model, batches(token_set([12] * 6), batch_size=2), [SITE]):
        seen.append(weakref.ref(states.pop(SITE)))
    assert [ref() is None for ref in seen] == [True, True, True]


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_nonfinite_activations_stop_with_their_place(model, bad):
    with torch.no_grad():
        model.blocks[1].mlp.part["all"].down.weight[0, 0] = bad
    with pytest.raises(NonFiniteError, match=r"blocks\.1\.hook_resid_post: .*%.*--dtype"):
        means(model, token_set([12]), batch_size=1)


def test_nonfinite_padding_is_not_the_users_concern():
    model = build(DecoderConfig(**SIZES), std=0.3)
    edit = (SITE, lambda x: torch.where(torch.arange(x.shape[1])[:, None] < 8, x, torch.inf))
    tokens = token_set([8])
    ((batch, states),) = stream_states(model, batches(tokens, batch_size=1), [SITE], edits=[edit])
    assert states[SITE].isfinite().all()
    padded = type(batch)(
        tokens=torch.nn.functional.pad(batch.tokens, (0, 2)),
        mask=torch.nn.functional.pad(batch.mask, (0, 2)),
        text_mask=torch.nn.functional.pad(batch.text_mask, (0, 2)),
        documents=batch.documents,
    )
    ((_, states),) = stream_states(model, [padded], [SITE], edits=[edit])
    assert not states[SITE].isfinite().all()


def test_unknown_site(model):
    with pytest.raises(UserError, match=r"nearest: .*hook_resid_post"):
        next(stream_states(model, batches(token_set([4]), batch_size=1), ["hook_resid_pots"]))
