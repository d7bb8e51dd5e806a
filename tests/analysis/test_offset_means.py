import numpy as np
import pytest
import torch

from posprobe.analysis.offset_means import OffsetMeans


def plain(terms, allowed):
    """Average by offset with loops; returns {offset: mean per head}."""
    found = {}
    for term, mask in zip(terms, allowed, strict=True):
        for q, k in zip(*np.nonzero(mask.numpy()), strict=True):
            found.setdefault(k - q, []).append(term[:, q, k].double().numpy())
    return {offset: np.mean(found[offset], axis=0) for offset in sorted(found)}


@pytest.mark.parametrize("shared", [False, True])
def test_agrees_with_loops(shared):
    terms, allowed = torch.randn(3, 2, 6, 6), torch.rand(3, 6, 6) < 0.5
    if shared:
        terms = terms[:1]
    means = OffsetMeans(1, 2)
    means.update(0, terms, allowed)
    offsets, curve = means.result()
    expected = plain(terms.expand(3, -1, -1, -1), allowed)
    assert offsets.tolist() == list(expected)
    np.testing.assert_allclose(curve[0].T, list(expected.values()), atol=1e-12)


def test_batches_of_different_lengths_add_up():
    batches = [(torch.randn(2, 1, n, n), torch.rand(2, n, n) < 0.7) for n in (4, 9, 3)]
    means = OffsetMeans(2, 1)
    for terms, allowed in batches:
        means.update(1, terms, allowed)
    offsets, curve = means.result()
    joined = [
        torch.cat([torch.nn.functional.pad(part, (0, 9 - part.shape[-1]) * 2) for part in parts])
        for parts in zip(*batches, strict=True)
    ]
    expected = plain(*joined)
    assert offsets.tolist() == list(expected)
    np.testing.assert_allclose(curve[1].T, list(expected.values()), atol=1e-12)
    assert np.isnan(curve[0]).all()


def test_pairs_not_allowed_may_hold_anything():
    term = torch.full((1, 1, 3, 3), -torch.inf)
    term[0, 0].diagonal().fill_(2.0)
    means = OffsetMeans(1, 1)
    means.update(0, term, torch.eye(3, dtype=torch.bool)[None])
    assert [part.tolist() for part in means.result()] == [[0], [[[2.0]]]]


def test_nothing_seen():
    offsets, curve = OffsetMeans(2, 3).result()
    assert (offsets.shape, curve.shape) == ((0,), (2, 3, 0))
