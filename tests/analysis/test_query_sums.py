import numpy as np
import pytest
import torch

from posprobe.analysis.layer_sums import LayerSums
from posprobe.analysis.query_sums import query_sums

TERMS = ("ap", "sem", "rp")


def random_terms(scale, dtype=torch.float32):
    shapes = {"ap": (3, 2, 41, 41), "sem": (3, 2, 41, 41), "rp": (1, 2, 41, 41)}
    return {name: scale * torch.randn(shape, dtype=dtype) for name, shape in shapes.items()}


def random_pairs():
    pairs = torch.rand(3, 41, 41) < 0.7
    return pairs & (pairs.sum(dim=-1, keepdim=True) >= 2)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("scale", [0.1, 1, 50])
def test_one_query_at_a_time_gives_what_whole_tensors_give(scale, dtype):
    # An accelerator takes whole tensors, a processor one query at a time.
    terms, counted, groups = random_terms(scale, dtype), random_pairs(), np.array([0, 1, 0])
    by_query, whole = (LayerSums(0, 2, TERMS, 2) for _ in range(2))
    by_query.update(terms, counted, groups)
    whole._add_blocks(terms, counted, groups)
    for name in ("products", "energy", "divergence", "reach"):
        expected = getattr(whole, name)
        assert np.abs(expected).min() > 0
        np.testing.assert_allclose(getattr(by_query, name), expected, rtol=1e-10, err_msg=name)


def test_what_is_not_counted_may_be_anything():
    terms, counted = random_terms(1), random_pairs()
    expected = query_sums(list(terms.values()), counted, without=2, near=8)
    terms["sem"] = terms["sem"].masked_fill(~counted[:, None], -torch.inf)
    found = query_sums(list(terms.values()), counted, without=2, near=8)
    for name in ("products", "energy", "divergence", "reach", "bad"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_numbers_that_are_not_finite_are_counted_by_term():
    terms, counted = random_terms(1), torch.ones(3, 41, 41, dtype=torch.bool)
    terms["sem"][1, 0, 3, 5:8] = torch.tensor([torch.nan, torch.inf, -torch.inf])
    found = query_sums(list(terms.values()), counted, without=None, near=8)
    assert found.bad.sum(axis=(0, 1)).tolist() == [0, 3, 0]
    assert found.bad[1, 0].tolist() == [0, 3, 0]
    assert not found.reach.any()
