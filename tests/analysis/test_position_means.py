import numpy as np
import pytest
import torch

from posprobe.analysis.position_means import PositionMeans
from posprobe.core.errors import CorpusError, NonFiniteError, UserError


def ragged(rng, lengths=(5, 3, 7, 5, 6), width=4):
    return [torch.tensor(rng.standard_normal((n, width)), dtype=torch.float32) for n in lengths]


def padded(documents, *, left, length):
    states = torch.full((len(documents), length, documents[0].shape[1]), torch.nan)
    mask = torch.zeros(len(documents), length, dtype=torch.bool)
    for row, document in enumerate(documents):
        start = length - len(document) if left else 0
        states[row, start : start + len(document)] = document
        mask[row, start : start + len(document)] = True
    return states, mask


@pytest.mark.parametrize("left", [False, True])
def test_only_documents_that_reach_every_position(rng, left):
    documents = ragged(rng)
    means = PositionMeans(5)
    means.update(*padded(documents, left=left, length=9))
    found = means.result()
    expected = torch.stack([doc[:5] for doc in documents if len(doc) >= 5]).double().mean(0)
    np.testing.assert_allclose(found.rows, expected, atol=1e-12)
    assert (found.documents, found.too_short) == (4, 1)


def test_batches_padding_and_order_do_not_matter(rng):
    documents = ragged(rng)
    whole, parts = PositionMeans(5), PositionMeans(5)
    whole.update(*padded(documents, left=False, length=7))
    for document in reversed(documents):
        parts.update(*padded([document], left=True, length=11))
    np.testing.assert_allclose(parts.result().rows, whole.result().rows, atol=1e-12)
    assert parts.result().documents == whole.result().documents


def test_leading_positions_can_be_left_out(rng):
    documents = ragged(rng)
    means = PositionMeans(4, start=1)
    means.update(*padded(documents, left=True, length=8))
    expected = torch.stack([doc[1:5] for doc in documents if len(doc) >= 5]).double().mean(0)
    np.testing.assert_allclose(means.result().rows, expected, atol=1e-12)


def test_sums_are_float64():
    means = PositionMeans(1)
    for value in [2.0**24] + [1.0] * 3:
        means.update(torch.full((1, 1, 1), value), torch.ones(1, 1, dtype=torch.bool))
    assert means.result().rows.item() == (2**24 + 3) / 4


def test_half_precision_states(rng):
    documents = [document.bfloat16() for document in ragged(rng)]
    means = PositionMeans(3)
    states, mask = padded(documents, left=False, length=7)
    means.update(states.bfloat16(), mask)
    expected = torch.stack([doc[:3] for doc in documents]).double().mean(0)
    np.testing.assert_allclose(means.result().rows, expected, atol=1e-12)


def test_batches_narrower_than_the_positions_are_too_short():
    means = PositionMeans(5)
    means.update(torch.zeros(2, 3, 1), torch.ones(2, 3, dtype=torch.bool))
    with pytest.raises(CorpusError, match="none of 2 documents reaches position 4"):
        means.result()


def test_counted_non_finite_states_are_refused():
    states, mask = torch.zeros(1, 4, 2), torch.ones(1, 4, dtype=torch.bool)
    states[0, 3] = torch.inf
    means = PositionMeans(3, site="blocks.1.hook_resid_post")
    means.update(states, mask)
    states[0, 1, 0] = torch.nan
    with pytest.raises(NonFiniteError, match=r"blocks\.1\.hook_resid_post: 17 %"):
        means.update(states, mask)


def test_mistakes_are_named():
    with pytest.raises(UserError, match="n_positions=0"):
        PositionMeans(0)
