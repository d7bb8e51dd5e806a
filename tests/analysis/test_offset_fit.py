"""The fit beside one by NumPy's least squares, with every dummy written out."""

import numpy as np
import pytest
import torch

from posprobe.analysis.offset_fit import OffsetFit, near_offsets

SIZE = 9


def allowed_of(kind):
    everything = torch.ones(SIZE, SIZE, dtype=torch.bool)
    return everything.tril() if kind == "causal" else everything


def plain_fit(logits, allowed):
    """Fit r(k − q) + c(q) by dummies, and centre what it explains within rows."""
    pairs = np.argwhere(allowed)
    columns = np.zeros((len(pairs), 3 * SIZE - 1))
    for row, (query, key) in enumerate(pairs):
        columns[row, query] = 1
        columns[row, SIZE + key - query + SIZE - 1] = 1
    wanted = np.array([logits[q, k] for q, k in pairs])
    solution = np.linalg.lstsq(columns, wanted, rcond=None)[0]
    offsets = columns[:, SIZE:] @ solution[SIZE:]
    fitted = np.zeros_like(logits)
    for (query, key), value in zip(pairs, offsets, strict=True):
        fitted[query, key] = value
    for query in range(SIZE):
        keys = allowed[query]
        fitted[query, keys] -= fitted[query, keys].mean()
    return fitted


@pytest.mark.parametrize("kind", ["causal", "full"])
def test_the_fit_is_that_of_plain_least_squares(kind):
    allowed = allowed_of(kind)
    fit = OffsetFit(allowed)
    logits = torch.randn(2, SIZE, SIZE, dtype=torch.float64, generator=torch.manual_seed(1))
    rows = fit.centred(logits)
    found = fit.part(rows).numpy()
    for one, logit in zip(found, logits.numpy(), strict=True):
        np.testing.assert_allclose(one, plain_fit(logit, allowed.numpy()), atol=1e-10)
    np.testing.assert_allclose(fit.squares(rows).numpy(), (found**2).sum((1, 2)), rtol=1e-10)


@pytest.mark.parametrize("kind", ["causal", "full"])
def test_what_the_fit_leaves_is_not_of_distance(kind):
    fit = OffsetFit(allowed_of(kind))
    rows = fit.centred(torch.randn(SIZE, SIZE, dtype=torch.float64))
    rest = rows - fit.part(rows)
    assert float(fit.squares(rest)) < 1e-20
    assert abs(float((rest * fit.part(rows)).sum())) < 1e-10


def test_the_curve_is_the_bias_up_to_a_constant():
    fit = OffsetFit(allowed_of("causal"))
    bias = torch.linspace(-1, 0, 2 * SIZE - 1, dtype=torch.float64) ** 3
    places = torch.arange(SIZE)
    logits = bias[places[None] - places[:, None] + SIZE - 1]
    curve = fit.curve(fit.centred(logits))[:SIZE]
    gap = curve - bias[:SIZE]
    assert float(gap.max() - gap.min()) < 1e-10


def test_pairs_that_do_not_count_may_hold_anything():
    fit = OffsetFit(allowed_of("causal"))
    logits = torch.randn(SIZE, SIZE, dtype=torch.float64)
    spoilt = logits.masked_fill(~fit.allowed, float("nan"))
    assert torch.equal(fit.centred(spoilt), fit.centred(logits.tril()))


def test_near_offsets_end_where_the_sequence_does():
    assert near_offsets(3, 32, causal=False).tolist() == [-2, -1, 0, 1, 2]
