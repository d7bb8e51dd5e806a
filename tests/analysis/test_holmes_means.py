"""Phenomena, fields, comparisons, and the sign test."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from posprobe.analysis.holmes import Codelength, DatasetScore, HolmesResult
from posprobe.analysis.holmes_means import compare_models, field_scores, phenomenon_scores
from posprobe.analysis.sign_test import sign_test

NAN = float("nan")


def score(dataset, value, *, field="syntax", phenomenon="binding", checkpoint="a", **more):
    return DatasetScore(
        **{
            "checkpoint": checkpoint,
            "condition": "checkpoint",
            "place": "last layer",
            "site": "blocks.1.hook_resid_post",
            "dataset": dataset,
            "field": field,
            "phenomenon": phenomenon,
            "kind": "class",
            "metric": "macro_f1",
            "score": value,
            "sd": 0.1,
            "by_seed": (value - 0.1, value + 0.1),
            "shuffled": 0.5,
            "selectivity": value - 0.5,
            "classes": 2,
            "n_train": 6,
            "n_dev": 2,
            "n_test": 2,
        }
        | more
    )


def test_data_sets_average_to_phenomena_and_these_to_fields():
    scores = [
        score("one", 0.4),
        score("two", 0.8),
        score("three", 0.9, phenomenon="case"),
        score("four", 0.2, field="morphology"),
        score("five", NAN, undefined="why", by_seed=(NAN, NAN)),
        score("six", NAN, phenomenon="island", undefined="why", by_seed=(NAN, NAN)),
    ]
    phenomena = {(p.field, p.phenomenon): p for p in phenomenon_scores(scores)}
    binding = phenomena["syntax", "binding"]
    assert (binding.score, binding.datasets) == (pytest.approx(0.6), 2)
    assert binding.by_seed == (pytest.approx(0.5), pytest.approx(0.7))
    assert phenomena["morphology", "binding"].score == 0.2
    island = phenomena["syntax", "island"]
    assert math.isnan(island.score)
    assert (island.undefined, island.datasets) == ("why", 0)
    fields = {f.field: f for f in field_scores(phenomenon_scores(scores))}
    assert fields["syntax"].score == pytest.approx((0.6 + 0.9) / 2)
    assert (fields["syntax"].phenomena, fields["syntax"].datasets) == (2, 3)
    assert fields["all"].score == pytest.approx((0.6 + 0.9 + 0.2) / 3)


def test_better_worse_and_ties_are_counted_by_phenomenon():
    a = [score("one", 0.9), score("two", 0.1), score("three", 0.5, phenomenon="case")]
    a += [score("four", 1.0, phenomenon="tie"), score("five", 0.3, phenomenon="worse")]
    b = [
        replace(s, checkpoint="b", score=v) for s, v in zip(a, (0.2, 0.2, 0.4, 1, 0.4), strict=True)
    ]
    (found,) = compare_models(a + b)
    # `binding` has 0.7 more on one data set and 0.1 less on the other: better.
    assert (found.better, found.worse, found.ties, found.phenomena) == (2, 1, 1, 4)
    assert found.p_value == binomtest(2, 3).pvalue
    assert (found.first, found.second) == ("a", "b")


def test_a_phenomenon_is_compared_by_the_data_sets_that_both_have():
    a = [score("one", 0.5), score("two", NAN, undefined="why")]
    b = [score("one", 0.6, checkpoint="b"), score("two", 0.1, checkpoint="b")]
    (found,) = compare_models(a + b)
    assert (found.better, found.worse) == (0, 1)
    (found,) = compare_models([score("one", 0.5), score("two", 0.6, checkpoint="b")])
    assert math.isnan(found.p_value)
    assert found.undefined


def test_random_weights_are_compared_with_their_own_checkpoint_only():
    scores = [
        score("one", 0.5 + i / 10, checkpoint=c, condition=w)
        for i, (c, w) in enumerate(
            [("a", "checkpoint"), ("a", "random init"), ("b", "checkpoint"), ("b", "random init")]
        )
    ]
    pairs = {(c.first, c.second) for c in compare_models(scores)}
    assert pairs == {("a", "a, random init"), ("a", "b"), ("b", "b, random init")}


@pytest.mark.parametrize(("better", "worse"), [(49, 16), (8, 2), (3, 3), (0, 7), (1, 0)])
def test_the_sign_test_is_scipys_binomial_test(better, worse):
    heads = min(better, worse)
    n = better + worse
    tail = sum(math.comb(n, k) for k in range(heads + 1)) / 2**n
    assert sign_test(better, worse)[0] == pytest.approx(min(1, 2 * tail))
    assert sign_test(better, worse)[0] == binomtest(better, n, 0.5).pvalue


def test_ties_alone_have_no_p_value():
    value, reason = sign_test(0, 0)
    assert math.isnan(value)
    assert reason == "no pair differs"


def test_the_result_is_a_tidy_table_and_strict_json():
    code = Codelength(bits=5.0, by_seed=(5.0,), uniform_bits=6.0, compression=1.2)
    scores = [score("one", 0.4, codelength=code), score("two", NAN, undefined="why")]
    phenomena = phenomenon_scores(scores)
    result = HolmesResult(
        data="d",
        seeds=(0, 1),
        checkpoints=("a",),
        places=("last layer",),
        scores=tuple(scores),
        phenomena=phenomena,
        fields=field_scores(phenomena),
        comparisons=compare_models(scores),
    )
    frame = result.to_frame()
    assert set(frame["level"]) == {"dataset", "phenomenon", "field"}
    one = frame.query("level == 'dataset' and dataset == 'one' and quantity == 'score'")
    assert one["value"].tolist() == [0.4]
    bits = frame.query("quantity == 'bits'")
    assert bits["value"].tolist() == [5.0]
    assert frame.query("quantity == 'by_seed' and dataset == 'one'")["seed"].tolist() == [0, 1]
    assert "NaN" not in result.to_json()
    assert result.summary()["a · checkpoint · last layer · all"] == 0.4
    assert np.isnan(frame.query("dataset == 'two' and quantity == 'score'")["value"]).all()
