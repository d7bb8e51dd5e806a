import numpy as np
import pytest
from scipy.stats import pearsonr
from sklearn.metrics import r2_score

from posprobe.analysis.number_scores import NumberScores


def guesses(rng, *, documents=12, tokens=25, noise=0.6, offset=0.0):
    """Two targets; documents differ in how well they are guessed."""
    document = np.repeat(np.arange(documents), tokens)
    truth = rng.standard_normal((len(document), 2)) * [1.0, 20.0] + offset
    spread = noise * (1 + document % 4)[:, None] * [1.0, 20.0]
    return document, truth, truth + spread * rng.standard_normal(truth.shape)


def summed(document, truth, guess, *, spans=(4.0, 80.0), seeds=1, batch=1000, documents=12):
    scores = NumberScores(documents=documents, spans=np.array(spans), seeds=seeds)
    for start in range(0, len(document), batch):
        part = slice(start, start + batch)
        scores.update(document[part], truth[part], guess[..., part, :])
    return scores


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("batch", [1000, 7])
def test_scores_are_those_of_scikit_learn_and_scipy(rng, offset, batch):
    document, truth, guess = guesses(rng, offset=offset)
    found = summed(document, truth, guess, batch=batch).scores(draws=10, seed=0)
    for target, scores in enumerate(found):
        y, g = truth[:, target], guess[:, target]
        expected = {
            "r2": r2_score(y, g),
            "nrmse": np.sqrt(((y - g) ** 2).mean()) / (4.0, 80.0)[target],
            "pearson": pearsonr(y, g).statistic,
        }
        assert {score.metric: score.value for score in scores} == pytest.approx(expected, abs=1e-9)
        assert all(score.by_seed == (score.value,) for score in scores)


def test_intervals_are_those_of_a_bootstrap_over_documents(rng):
    document, truth, guess = guesses(rng)
    scores = summed(document, truth, guess).scores(draws=40, seed=3)[1]
    picks = np.random.default_rng(3).multinomial(12, np.full(12, 1 / 12), size=40)
    drawn = []
    for times in picks:
        rows = np.repeat(np.arange(len(document)), times[document])
        y, g = truth[rows, 1], guess[rows, 1]
        error = np.sqrt(((y - g) ** 2).mean()) / 80.0
        drawn.append((r2_score(y, g), error, pearsonr(y, g).statistic))
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    np.testing.assert_allclose([score.low for score in scores], low)
    np.testing.assert_allclose([score.high for score in scores], high)


def test_seeds_share_the_documents_drawn(rng):
    document, truth, guess = guesses(rng)
    other = truth + rng.standard_normal(truth.shape)
    both = summed(document, truth, np.stack([guess, other]), seeds=2).scores(draws=50, seed=1)
    alone = [summed(document, truth, part).scores(draws=50, seed=1) for part in (guess, other)]
    for target in range(2):
        for metric in range(3):
            score = both[target][metric]
            each = tuple(part[target][metric].value for part in alone)
            assert score.by_seed == pytest.approx(each)
            assert score.value == pytest.approx(np.mean(each))
    same = summed(document, truth, np.stack([guess, guess]), seeds=2).scores(draws=50, seed=1)
    assert (same[0][0].low, same[0][0].high) == pytest.approx(
        (alone[0][0][0].low, alone[0][0][0].high)
    )


def test_perfect_useless_and_worse(rng):
    document, truth, _ = guesses(rng)
    perfect = summed(document, truth, truth).scores(draws=10, seed=0)[0]
    assert [(s.value, s.low, s.high) for s in perfect] == [(1, 1, 1), (0, 0, 0), (1, 1, 1)]
    useless = summed(document, truth, np.tile(truth.mean(axis=0), (len(truth), 1)))
    r2, _, pearson = useless.scores(draws=10, seed=0)[0]
    assert r2.value == pytest.approx(0, abs=1e-12)
    assert np.isnan([pearson.value, pearson.low, pearson.high]).all()
    assert summed(document, truth, -truth).scores(draws=10, seed=0)[0][0].value < -2


def test_constant_truth_is_undefined_and_says_so(rng):
    document, truth, guess = guesses(rng)
    truth[:, 0] = 0.1
    scores = summed(document, truth, guess, batch=7)
    assert scores.undefined() == ["constant", None]
    constant, other = scores.scores(draws=10, seed=0)
    assert np.isnan([(s.value, s.low, s.high, *s.by_seed) for s in constant]).all()
    assert np.isfinite([(s.value, s.low, s.high) for s in other]).all()


def test_target_constant_in_training_is_undefined(rng):
    scores = summed(*guesses(rng), spans=(0.0, 80.0))
    assert scores.undefined() == ["constant", None]
    assert np.isnan([score.value for score in scores.scores(draws=10, seed=0)[0]]).all()


def test_no_tokens():
    scores = NumberScores(documents=3, spans=np.ones(1))
    scores.update(np.zeros(0, dtype=int), np.zeros((0, 1)), np.zeros((0, 1)))
    assert scores.undefined() == ["no tokens"]
    assert np.isnan([score.value for score in scores.scores(draws=10, seed=0)[0]]).all()


def test_one_document_has_no_interval(rng):
    document, truth, guess = guesses(rng, documents=1)
    for score in summed(document, truth, guess).scores(draws=10, seed=0)[0]:
        assert np.isfinite(score.value)
        assert np.isnan([score.low, score.high]).all()


def test_documents_whose_truth_is_constant(rng):
    """A draw of only such documents has no R²; it is left out of the interval."""
    document = np.repeat([0, 1], 5)
    truth = document[:, None] * 3.0
    scores = summed(document, truth, truth + 0.5, spans=(3.0,)).scores(draws=100, seed=0)[0]
    r2, nrmse, pearson = ((score.low, score.high) for score in scores)
    assert r2 == pytest.approx((1 - 0.25 / 2.25,) * 2)
    assert nrmse == pytest.approx((0.5 / 3,) * 2)
    assert pearson == pytest.approx((1.0, 1.0))


def test_same_seed_same_scores(rng):
    scores = summed(*guesses(rng))
    assert scores.scores(seed=4) == scores.scores(seed=4)
    assert scores.scores(seed=4) != scores.scores(seed=5)
