import numpy as np
import pytest
import torch

from posprobe.analysis.head_sums import HeadSums
from posprobe.core.errors import NonFiniteError
from tests.analysis.head_reference import TERMS, measure, random_pairs, random_terms


@pytest.mark.parametrize("hidden", [-torch.inf, -3.4e38, torch.nan, 1e30])
def test_what_hides_behind_the_mask_does_not_matter(hidden):
    terms, allowed = random_terms(), random_pairs()
    expected = measure(terms, allowed)
    terms = {
        "ap": terms["ap"].masked_fill(~allowed[:, None], hidden),
        "sem": terms["sem"].masked_fill(~allowed[:, None], hidden),
        "rp": terms["rp"].masked_fill(~allowed.any(0), hidden),
    }
    assert measure(terms, allowed).to_json() == expected.to_json()


def test_padding_adds_nothing():
    terms, allowed = random_terms(), random_pairs()
    wider = {name: torch.nn.functional.pad(t, (0, 4, 0, 4), value=7.0) for name, t in terms.items()}
    found = measure(wider, torch.nn.functional.pad(allowed, (0, 4, 0, 4)))
    expected = measure(terms, allowed)
    np.testing.assert_allclose(found.share, expected.share, rtol=1e-12)
    np.testing.assert_allclose(found.share_se, expected.share_se, rtol=1e-9)
    np.testing.assert_allclose(found.bias_curve, expected.bias_curve, rtol=1e-12)
    assert (found.documents, found.queries, found.pairs) == (
        expected.documents,
        expected.queries,
        expected.pairs,
    )


def close(found, expected):
    names = ("share", "share_se", "fraction", "variance", "divergence", "distance", "near")
    for name in (*names, "distance_without_rp", "near_without_rp", "bias_curve", "offsets"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-9)
    assert (found.documents, found.queries, found.pairs, found.classes) == (
        expected.documents,
        expected.queries,
        expected.pairs,
        expected.classes,
    )


@pytest.mark.parametrize("step", [1, 2, 5])
def test_batches_add_up_to_the_whole(step):
    terms, allowed = random_terms(), random_pairs()
    close(measure(terms, allowed, step=step), measure(terms, allowed))


def test_order_of_documents_does_not_matter():
    terms, allowed = random_terms(), random_pairs()
    order = torch.tensor([4, 2, 0, 5, 1, 3])
    close(measure(terms, allowed, order=order, step=2), measure(terms, allowed))


@pytest.mark.parametrize("limit", [1, 40, 500])
def test_large_batches_are_cut_into_queries(limit, monkeypatch):
    terms, allowed = random_terms(), random_pairs()
    expected = measure(terms, allowed)
    monkeypatch.setattr("posprobe.analysis.layer_sums._BLOCK", limit)
    close(measure(terms, allowed), expected)


def test_a_shared_term_counts_once_per_document():
    terms, allowed = random_terms(), random_pairs()
    repeated = {**terms, "rp": terms["rp"].repeat(6, 1, 1, 1)}
    close(measure(repeated, allowed), measure(terms, allowed))


def test_sums_are_float64():
    terms = {"ap": torch.randn(40, 1, 9, 9), "sem": 1e-4 * torch.randn(40, 1, 9, 9)}
    allowed = torch.ones(40, 9, 9, dtype=torch.bool)
    found = measure(terms, allowed, step=1, names=("ap", "sem"))
    ap, sem = (terms[name].double() for name in ("ap", "sem"))
    logits = ap + sem
    sem, logits = sem - sem.mean(-1, keepdim=True), logits - logits.mean(-1, keepdim=True)
    expected = (sem * logits).sum() / (logits**2).sum()
    assert found.share[0, 0, 1] == pytest.approx(expected.item(), rel=1e-9)


def test_layers_are_kept_apart():
    allowed = random_pairs()
    layers = [random_terms() for _ in range(3)]
    sums = HeadSums(3, 2, TERMS)
    for layer, terms in enumerate(layers):
        sums.update(layer, terms, allowed, torch.arange(6))
    found = sums.result(checkpoint="c")
    for layer, terms in enumerate(layers):
        alone = measure(terms, allowed)
        np.testing.assert_allclose(found.share[layer], alone.share[0])
        np.testing.assert_allclose(found.bias_curve[layer], alone.bias_curve[0])
    assert (found.documents, found.pairs) == (alone.documents, alone.pairs)


def test_memory_does_not_grow_with_documents():
    sums = HeadSums(1, 2, TERMS)

    def size():
        layer = sums._layers[0]
        arrays = (layer.products, layer.energy, layer.divergence, layer.reach, sums._bias._sums)
        return [array.nbytes for array in arrays]

    sums.update(0, random_terms(), random_pairs(), torch.arange(6))
    before = size()
    for _ in range(5):
        sums.update(0, random_terms(), random_pairs(), torch.arange(6))
    assert size() == before


def test_non_finite_logits_are_refused():
    terms, allowed = random_terms(), random_pairs()
    allowed[4, 3] = True
    terms["sem"][4, 0, 3, 1:3] = torch.inf
    with pytest.raises(NonFiniteError, match="layer 0, sem logits"):
        measure(terms, allowed)
