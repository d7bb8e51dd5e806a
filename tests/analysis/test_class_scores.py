import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

from posprobe.analysis.class_scores import ClassScores

CLASSES = 5


def guesses(rng, *, documents=10, tokens=30):
    """Class 4 is guessed but never true; class 3 is rare."""
    document = np.repeat(np.arange(documents), tokens)
    truth = rng.choice(4, size=len(document), p=[0.5, 0.3, 0.18, 0.02])
    wrong = rng.random(len(document)) < 0.1 * (1 + document % 4)
    return document, truth, np.where(wrong, rng.integers(0, CLASSES, len(document)), truth)


def summed(document, truth, guess, *, seeds=1, batch=1000, documents=10):
    scores = ClassScores(documents=documents, classes=CLASSES, seeds=seeds)
    for start in range(0, len(document), batch):
        part = slice(start, start + batch)
        scores.update(document[part], truth[part], guess[..., part])
    return scores


def macro_f1(truth, guess):
    return f1_score(truth, guess, labels=np.unique(truth), average="macro", zero_division=0)


@pytest.mark.parametrize("batch", [1000, 7])
def test_scores_are_those_of_scikit_learn(rng, batch):
    document, truth, guess = guesses(rng)
    assert 4 in guess
    found = summed(document, truth, guess, batch=batch).scores(draws=10, seed=0)
    assert {score.metric: score.value for score in found} == pytest.approx(
        {"macro_f1": macro_f1(truth, guess), "accuracy": accuracy_score(truth, guess)}
    )


def test_intervals_are_those_of_a_bootstrap_over_documents(rng):
    document, truth, guess = guesses(rng)
    found = summed(document, truth, guess).scores(draws=30, seed=3)
    drawn = []
    for times in np.random.default_rng(3).multinomial(10, np.full(10, 0.1), size=30):
        rows = np.repeat(np.arange(len(document)), times[document])
        drawn.append((macro_f1(truth[rows], guess[rows]), accuracy_score(truth[rows], guess[rows])))
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    np.testing.assert_allclose([score.low for score in found], low)
    np.testing.assert_allclose([score.high for score in found], high)


def test_seeds(rng):
    document, truth, guess = guesses(rng)
    both = summed(document, truth, np.stack([guess, truth]), seeds=2).scores(draws=50, seed=1)
    alone = summed(document, truth, guess).scores(draws=50, seed=1)
    for score, single in zip(both, alone, strict=True):
        assert score.by_seed == pytest.approx((single.value, 1.0))
        assert score.value == pytest.approx((single.value + 1) / 2)
        assert score.low == pytest.approx((single.low + 1) / 2)


def test_one_class_alone_is_undefined_and_says_so(rng):
    document, truth, guess = guesses(rng)
    scores = summed(document, np.full_like(truth, 2), guess)
    assert scores.undefined() == "constant"
    for score in scores.scores(draws=10, seed=0):
        assert np.isnan([score.value, score.low, score.high, *score.by_seed]).all()


def test_no_tokens():
    scores = ClassScores(documents=2, classes=2)
    assert scores.undefined() == "no tokens"
    assert np.isnan([score.value for score in scores.scores(draws=10, seed=0)]).all()


def test_one_document_has_no_interval(rng):
    for score in summed(*guesses(rng, documents=1)).scores(draws=10, seed=0):
        assert np.isfinite(score.value)
        assert np.isnan([score.low, score.high]).all()


@pytest.mark.parametrize("label", [-1, CLASSES])
def test_a_class_that_there_is_not_is_refused(label):
    with pytest.raises(AssertionError, match="unknown class"):
        summed(np.array([0]), np.array([label]), np.array([0]))


def test_same_seed_same_scores(rng):
    scores = summed(*guesses(rng))
    assert scores.scores(seed=4) == scores.scores(seed=4)
    assert scores.scores(seed=4) != scores.scores(seed=5)
