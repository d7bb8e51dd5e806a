"""Heads with a known answer, and the same numbers from plain loops."""

import numpy as np
import pytest
import torch

from posprobe.analysis.logit_parts import LogitPartSums
from posprobe.core.errors import CorpusError, NonFiniteError

SIZE = 96


def allowed_of(kind, size=SIZE):
    everything = torch.ones(size, size, dtype=torch.bool)
    return everything.tril() if kind == "causal" else everything


def toeplitz(size=SIZE, seed=0):
    bias = torch.randn(2 * size - 1, dtype=torch.float64, generator=torch.manual_seed(seed))
    places = torch.arange(size)
    return bias[places[None] - places[:, None] + size - 1]


def noise(documents, size=SIZE, seed=1):
    generator = torch.manual_seed(seed)
    return torch.randn(documents, 1, size, size, dtype=torch.float64, generator=generator)


def measured(logits, kind="full", *, batch=5, **options):
    sums = LogitPartSums(1, logits.shape[1], allowed_of(kind, logits.shape[-1]))
    for start in range(0, len(logits), batch):
        some = logits[start : start + batch]
        sums.update(0, some, torch.arange(start, start + len(some)))
    return sums.result(**options)


@pytest.mark.parametrize("kind", ["causal", "full"])
def test_a_bias_of_distance_is_relative(kind):
    found = measured(toeplitz().repeat(4, 1, 1, 1), kind)
    np.testing.assert_allclose(found.share, [[[0, 0, 1]]], atol=1e-12)
    assert found.classes == (("relative",),)


@pytest.mark.parametrize("kind", ["causal", "full"])
def test_a_number_for_each_key_is_absolute(kind):
    keys = torch.randn(SIZE, dtype=torch.float64, generator=torch.manual_seed(2))
    found = measured(keys.expand(4, 1, SIZE, SIZE), kind)
    assert found.share[0, 0, 0] >= 0.95
    assert found.classes == (("structure",),)


def test_a_linear_number_for_each_key_is_relative_once_rows_are_centred():
    keys = torch.arange(float(SIZE), dtype=torch.float64)
    found = measured(keys.expand(4, 1, SIZE, SIZE), "causal")
    assert found.share[0, 0, 2] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("kind", ["causal", "full"])
def test_what_differs_between_documents_is_content(kind):
    found = measured(noise(8), kind)
    np.testing.assert_allclose(found.share, [[[0, 1, 0]]], atol=0.01)
    assert found.classes == (("semantic",),)


def test_a_constant_of_a_row_means_nothing():
    rows = 100 * torch.randn(6, 1, SIZE, 1, dtype=torch.float64)
    one, other = measured(noise(6)), measured(noise(6) + rows)
    np.testing.assert_allclose(one.share, other.share, atol=1e-12)


def test_equal_mixtures_are_found_without_bias():
    """A mean over 4 documents alone would count a quarter of the content as position."""
    keys = torch.randn(SIZE, dtype=torch.float64, generator=torch.manual_seed(4))
    keys = (keys - keys.mean()) / keys.std()
    distance = toeplitz(seed=5)
    rows = distance - distance.mean(dim=1, keepdim=True)
    together = keys.expand(SIZE, SIZE) + rows / rows.std()
    shares = [measured(together + noise(4, seed=seed)).share[0, 0] for seed in range(10)]
    np.testing.assert_allclose(np.mean(shares, axis=0), 1 / 3, atol=0.03)


def plain_shares(logits, allowed):
    """Sums over pairs, without a stream and without groups."""
    n = len(logits)
    rows = np.zeros_like(logits)
    for document in range(n):
        for query, keys in enumerate(allowed):
            row = logits[document, query, keys]
            rows[document, query, keys] = row - row.mean()
    pairs = np.argwhere(allowed)
    columns = np.zeros((len(pairs), 2 * len(allowed) - 1))
    for index, (query, key) in enumerate(pairs):
        columns[index, key - query + len(allowed) - 1] = 1
    for query in range(len(allowed)):
        own = pairs[:, 0] == query
        columns[own] -= columns[own].mean(axis=0)
    flat = np.array([[document[q, k] for q, k in pairs] for document in rows])
    basis = np.linalg.svd(columns, full_matrices=False)
    basis = basis[0][:, basis[1] > 1e-9]
    mean = flat.mean(axis=0)
    content = flat.var(axis=0, ddof=1).sum()
    position = (mean**2).sum() - content / n
    on_basis = flat @ basis
    relative = (on_basis.mean(axis=0) ** 2).sum() - on_basis.var(axis=0, ddof=1).sum() / n
    parts = np.array([position - relative, content, relative])
    return parts / parts.sum()


@pytest.mark.parametrize("kind", ["causal", "full"])
def test_shares_are_those_of_plain_sums(kind):
    logits = noise(7, 10) + toeplitz(10) + torch.randn(10, dtype=torch.float64)
    expected = plain_shares(logits[:, 0].numpy(), allowed_of(kind, 10).numpy())
    np.testing.assert_allclose(measured(logits, kind).share[0, 0], expected, rtol=1e-9)


def test_the_standard_error_is_the_spread_over_corpora():
    fixed = toeplitz(12) + torch.randn(12, dtype=torch.float64, generator=torch.manual_seed(9))
    found = [measured(noise(30, 12, seed=s) * 2 + fixed) for s in range(60)]
    spread = np.std([f.share[0, 0] for f in found], axis=0, ddof=1)
    claimed = np.mean([f.share_se[0, 0] for f in found], axis=0)
    assert (claimed / spread).min() > 0.7
    assert (claimed / spread).max() < 1.4


def test_bfloat16_changes_little():
    logits = noise(8, 24) + toeplitz(24)
    one, other = measured(logits), measured(logits.to(torch.bfloat16))
    np.testing.assert_allclose(one.share, other.share, atol=1e-2)


def test_logits_that_do_not_vary_have_no_class():
    found = measured(torch.full((4, 1, 8, 8), 3.0))
    assert np.isnan(found.share).all()
    assert found.classes == (("undefined",),)


def test_known_terms_agree_with_the_parts():
    """Position by a table and by distance, meaning by each document alone."""
    keys = torch.randn(1, 2, 1, 24, dtype=torch.float64, generator=torch.manual_seed(6))
    terms = {
        "ap": keys.expand(1, 2, 24, 24),
        "sem": 0.5 * torch.cat([noise(60, 24, seed=7), noise(60, 24, seed=8)], dim=1),
        "rp": toeplitz(24).repeat(1, 2, 1, 1),
    }
    sums = LogitPartSums(1, 2, allowed_of("full", 24), terms=("ap", "sem", "rp"))
    sums.update(0, terms["ap"] + terms["sem"] + terms["rp"], torch.arange(60), terms)
    found = sums.result()
    assert found.agreement.shape == (1, 2, 4)
    assert found.agreement.min() > 0.99
    parts = ("ap", "sem", "rp")
    swapped = LogitPartSums(1, 2, allowed_of("full", 24), terms=parts)
    swapped.update(0, sum(terms.values()), torch.arange(60), {**terms, "ap": -terms["ap"]})
    assert swapped.result().agreement[..., 1].max() < -0.9


def test_agreement_is_a_plain_correlation():
    ap, sem = noise(1, 8, seed=10), noise(9, 8, seed=11)
    sums = LogitPartSums(1, 1, allowed_of("full", 8), terms=("ap", "sem"))
    sums.update(0, ap + sem, torch.arange(9), {"ap": ap, "sem": sem})
    centred = [x - x.mean(-1, keepdim=True) for x in (ap.expand(9, -1, -1, -1), sem)]
    mean = (centred[0] + centred[1]).mean(0, keepdim=True)
    found = sums.result().agreement[0, 0]
    position = np.corrcoef(mean.expand(9, -1, -1, -1).flatten(), centred[0].flatten())[0, 1]
    left = centred[0] + centred[1] - mean
    content = np.corrcoef(left.flatten(), centred[1].flatten())[0, 1]
    np.testing.assert_allclose(found[[0, 2]], [position, content], rtol=1e-9)


def test_one_document_is_refused():
    with pytest.raises(CorpusError, match="at least two documents"):
        measured(noise(1, 8))


def test_infinite_logits_are_refused_only_where_they_count():
    logits = noise(3, 8)
    logits[1, 0, 2, 5] = torch.inf
    assert np.isfinite(measured(logits, "causal").share).all()
    with pytest.raises(NonFiniteError, match="layer 0, logits"):
        measured(logits, "full")


def test_a_layer_that_sees_a_window_counts_no_other_pairs():
    places = torch.arange(12)
    window = (places[:, None] - places[None, :]).abs() <= 3
    everywhere = torch.ones_like(window)
    logits = noise(20, 12, seed=5) + toeplitz(12)
    outside = torch.where(window, logits, 1e6)
    both = LogitPartSums(2, 1, torch.stack([everywhere, window]))
    for layer, values in enumerate((logits, outside)):
        both.update(layer, values, torch.arange(20))
    found = both.result()
    for layer, allowed in enumerate((everywhere, window)):
        alone = LogitPartSums(1, 1, allowed)
        alone.update(0, logits, torch.arange(20))
        expected = alone.result()
        for name in ("share", "share_se", "variance", "curve"):
            np.testing.assert_allclose(
                getattr(found, name)[layer], getattr(expected, name)[0], rtol=1e-12, err_msg=name
            )
    seen = np.abs(found.offsets) <= 3
    assert np.isfinite(found.curve[0]).all()
    assert (np.isfinite(found.curve[1]) == seen).all()
