import json

import numpy as np
import pytest
import torch

from posprobe.analysis.head_sums import HeadSums
from posprobe.core.errors import CorpusError, UserError
from tests.analysis.head_reference import TERMS, measure, plain, random_pairs, random_terms


@pytest.mark.parametrize("size", [7, 14])
def test_agrees_with_loops(size):
    terms, allowed = random_terms(size=size), random_pairs(size=size)
    found = measure(terms, allowed)
    for head in range(2):
        expected = plain(terms, allowed, head)
        np.testing.assert_allclose(found.share[0, head], expected["share"], rtol=1e-10)
        np.testing.assert_allclose(found.fraction[0, head], expected["fraction"], rtol=1e-10)
        np.testing.assert_allclose(found.variance[0, head], expected["variance"], rtol=1e-10)
        np.testing.assert_allclose(found.divergence[0, head], expected["divergence"], rtol=1e-9)
        reach = [found.distance, found.near, found.distance_without_rp, found.near_without_rp]
        np.testing.assert_allclose([part[0, head] for part in reach], expected["reach"])
        assert (found.queries, found.pairs) == expected["counts"]
    assert found.documents == 5


def test_shares_and_fractions_sum_to_one():
    found = measure(random_terms(), random_pairs())
    np.testing.assert_allclose(found.share.sum(axis=-1), 1, atol=1e-12)
    np.testing.assert_allclose(found.fraction.sum(axis=-1), 1, atol=1e-12)


def test_row_constants_do_not_count():
    terms, allowed = random_terms(), random_pairs()
    expected = measure(terms, allowed)
    terms["ap"] += 100 * torch.randn(6, 2, 7, 1)
    found = measure(terms, allowed)
    np.testing.assert_allclose(found.share, expected.share, rtol=1e-4)
    np.testing.assert_allclose(found.divergence[..., 1:], expected.divergence[..., 1:], rtol=1e-3)


def test_zeroed_position_terms_have_no_share():
    terms = random_terms()
    terms["ap"] = torch.zeros_like(terms["ap"])
    found = measure(terms, random_pairs())
    np.testing.assert_array_equal(found.share[..., 0], 0)
    np.testing.assert_array_equal(found.divergence[..., 0], 0)


def test_heads_made_of_one_term():
    names = {"ap": "structure", "sem": "semantic", "rp": "relative"}
    for index, (name, kind) in enumerate(names.items()):
        terms = random_terms()
        terms.update({other: torch.zeros_like(terms[other]) for other in TERMS if other != name})
        found = measure(terms, random_pairs())
        np.testing.assert_allclose(found.share[..., index], 1)
        assert found.classes == ((kind, kind),)
        assert found.class_counts[kind] == 2


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_is_within_a_hundredth(dtype):
    terms, allowed = random_terms(size=14), random_pairs(size=14)
    halved = {name: term.to(dtype) for name, term in terms.items()}
    np.testing.assert_allclose(
        measure(halved, allowed).share, measure(terms, allowed).share, atol=1e-2
    )


@pytest.mark.parametrize("constant", [0.0, 0.1])
def test_logits_that_do_not_vary_are_undefined(constant):
    terms = random_terms()
    for term in terms.values():
        term[:, 1] = constant
    found = measure(terms, random_pairs())
    assert np.isnan(found.share[0, 1]).all()
    assert np.isnan(found.fraction[0, 1]).all()
    assert np.isfinite(found.share[0, 0]).all()
    assert found.classes[0][1] == "undefined"
    assert found.undefined["share"] == "1 heads have logits that do not vary"
    assert found.hist_counts.sum() == 1
    assert json.loads(found.to_json())["share"][0][1] == [None] * 3


def test_standard_error_leaves_out_a_group_at_a_time():
    terms, allowed = random_terms(), random_pairs()
    found = measure(terms, allowed, groups=3)
    kept = [torch.tensor([i for i in range(6) if i % 3 != group]) for group in range(3)]
    without = np.stack([measure(terms, allowed, order=order).share for order in kept])
    spread = ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    np.testing.assert_allclose(found.share_se, np.sqrt(2 / 3 * spread), rtol=1e-9)


def test_standard_error_has_the_size_of_the_scatter():
    # The rp term belongs to the model, not to the documents: it is the same in every draw.
    shared = random_terms()["rp"]
    allowed = torch.ones(32, 7, 7, dtype=torch.bool)
    results = [measure({**random_terms(batch=32), "rp": shared}, allowed) for _ in range(40)]
    scatter = np.std([found.share for found in results], axis=0, ddof=1)
    stated = np.mean([found.share_se for found in results], axis=0)
    np.testing.assert_allclose(stated, scatter, rtol=0.4)


def test_one_group_has_no_standard_error():
    terms, allowed = random_terms(), random_pairs()
    sums = HeadSums(1, 2, TERMS)
    sums.update(0, terms, allowed, 3)
    found = sums.result(checkpoint="c")
    assert np.isnan(found.share_se).all()
    assert "two groups" in found.undefined["share_se"]


def test_models_without_some_terms():
    terms, allowed = random_terms(), random_pairs()
    without_ap = measure({n: terms[n] for n in ("sem", "rp")}, allowed, names=("sem", "rp"))
    assert without_ap.hist_counts is None
    assert without_ap.hist_edges is None
    assert np.isnan([without_ap.separation, without_ap.cut]).all()
    assert "ap" in without_ap.undefined["separation"]
    without_rp = measure({n: terms[n] for n in ("ap", "sem")}, allowed, names=("ap", "sem"))
    reach = (without_rp.distance, without_rp.near)
    assert np.isnan([*reach, without_rp.distance_without_rp, without_rp.near_without_rp]).all()
    assert without_rp.bias_curve.shape == (1, 2, 0)
    assert "rp" in without_rp.undefined["distance"]


def test_bias_curve_of_a_causal_model():
    slope = torch.arange(7.0) - torch.arange(7.0)[:, None]
    terms = {"sem": torch.randn(2, 1, 7, 7), "rp": (0.5 * slope)[None, None]}
    allowed = torch.ones(2, 7, 7, dtype=torch.bool).tril()
    found = measure(terms, allowed, names=("sem", "rp"))
    assert found.offsets.tolist() == list(range(-6, 1))
    np.testing.assert_allclose(found.bias_curve[0, 0], 0.5 * found.offsets)


def test_mistakes_are_named():
    with pytest.raises(UserError, match="position"):
        HeadSums(1, 1, ("position",))
    with pytest.raises(UserError, match="groups=1"):
        HeadSums(1, 1, TERMS, 1)
    sums = HeadSums(1, 2, TERMS)
    with pytest.raises(CorpusError, match="longer documents"):
        sums.result(checkpoint="c")
    sums.update(0, random_terms(), torch.zeros(6, 7, 7, dtype=torch.bool), 0)
    with pytest.raises(CorpusError, match="longer documents"):
        sums.result(checkpoint="c")


def test_terms_of_a_real_checkpoint_give_its_pattern(golden):
    arrays = np.load(golden / "dstg.expected.npz")
    mask = torch.tensor(arrays["attention_mask"]).bool()
    allowed = (mask[:, :, None] & mask[:, None, :]).contiguous()
    names = {"ap": "ap_logits", "sem": "sem_logits", "rp": "rp_bias"}
    sums = HeadSums(3, 3, TERMS)
    for layer in range(3):
        terms = {short: torch.tensor(arrays[name][layer]) for short, name in names.items()}
        sums.update(layer, terms, allowed, torch.arange(4))
        logits = sum(term.double() for term in terms.values()).masked_fill(
            ~allowed[:, None], -torch.inf
        )
        real = mask[:, None, :, None].expand(-1, 3, -1, 28)
        expected = torch.tensor(arrays["attention"][layer]).double()[real]
        torch.testing.assert_close(logits.softmax(-1)[real], expected, atol=1e-5, rtol=1e-4)
        found = sums._layers[layer]
        head = plain(terms, allowed, 1)
        products = found.products.sum(axis=0)[1]
        np.testing.assert_allclose(products[:3, 3] / products[3, 3], head["share"], rtol=1e-9)
    result = sums.result(checkpoint="dstg")
    np.testing.assert_allclose(result.share.sum(axis=-1), 1, atol=1e-12)
    assert (result.documents, result.queries) == (4, int(mask.sum()))
