import numpy as np
import pytest
from sklearn.linear_model import Ridge

from posprobe.analysis.token_identity import SHRINKAGES, TokenMeans
from posprobe.core.errors import UserError

VOCABULARY, FOLDS = 12, 3


@pytest.fixture
def tokens(rng):
    """Frequent and rare ids, the last one never seen; targets that depend on the id a little."""
    ids = np.minimum(rng.geometric(0.3, 600) - 1, VOCABULARY - 2)
    means = rng.standard_normal((VOCABULARY, 2)) * [0.1, 5.0]
    targets = 300.0 + means[ids] + rng.standard_normal((600, 2))
    return ids, targets, np.repeat(np.arange(30) % FOLDS, 20)


def summed(ids, targets, fold, *, batch=1000):
    means = TokenMeans(folds=FOLDS, vocabulary=VOCABULARY, targets=targets.shape[1])
    for start in range(0, len(ids), batch):
        part = slice(start, start + batch)
        means.update(ids[part], targets[part], fold[part])
    return means


def one_hot(ids):
    return np.eye(VOCABULARY)[ids]


def scikit(ids, targets, shrinkage):
    return Ridge(alpha=shrinkage).fit(one_hot(ids), targets)


def held_out_errors(ids, targets, fold):
    errors = np.zeros((len(SHRINKAGES), targets.shape[1]))
    for row, shrinkage in enumerate(SHRINKAGES):
        for number in range(FOLDS):
            test = fold == number
            fit = scikit(ids[~test], targets[~test], shrinkage)
            errors[row] += ((targets[test] - fit.predict(one_hot(ids[test]))) ** 2).sum(axis=0)
    return errors


@pytest.mark.parametrize("shrinkage", [0.01, 3.0, 1e4])
@pytest.mark.parametrize("batch", [1000, 7])
def test_is_a_ridge_on_indicators_of_the_ids(tokens, shrinkage, batch):
    ids, targets, fold = tokens
    found = summed(ids, targets, fold, batch=batch).fit(shrinkages=[shrinkage])
    expected = scikit(ids, targets, shrinkage).predict(np.eye(VOCABULARY))
    np.testing.assert_allclose(found.predict(np.arange(VOCABULARY)), expected, rtol=0, atol=1e-6)


def test_shrinkage_is_that_of_a_grouped_search(tokens):
    errors = held_out_errors(*tokens)
    best = np.array(SHRINKAGES)[errors.argmin(axis=0)]
    assert best[0] != best[1]
    assert summed(*tokens).fit().shrinkage.tolist() == best.tolist()
    together = SHRINKAGES[errors.sum(axis=1).argmin()]
    assert summed(*tokens).fit(groups=[3, 3]).shrinkage.tolist() == [together] * 2


def test_position_cannot_be_read_from_random_ids(rng):
    position = np.tile(np.arange(40.0), 30)[:, None]
    ids, fold = rng.integers(0, VOCABULARY, 1200), np.repeat(np.arange(30) % FOLDS, 40)
    train = fold > 0
    guess = summed(ids[train], position[train], fold[train]).fit().predict(ids[~train])
    assert abs(1 - ((guess - position[~train]) ** 2).mean() / position.var()) < 0.02


def test_what_the_id_decides_is_read(rng):
    ids, fold = rng.integers(0, VOCABULARY, 600), np.repeat(np.arange(30) % FOLDS, 20)
    targets = np.stack([ids % 3 == 0, ids % 3 != 0], axis=1).astype(float)
    guess = summed(ids, targets, fold).fit(groups=[0, 0]).predict(ids)
    np.testing.assert_array_equal(guess.argmax(axis=1), targets.argmax(axis=1))


def test_constant_target(tokens):
    ids, targets, fold = tokens
    targets[:, 0] = 0.1
    table = summed(ids, targets, fold).fit().table
    np.testing.assert_allclose(table[:, 0], 0.1)
    assert np.isfinite(table).all()


def test_unseen_id_is_guessed_as_the_centre(tokens):
    table = summed(*tokens).fit(shrinkages=[1e9]).table
    np.testing.assert_allclose(table[-1], tokens[1].mean(axis=0), rtol=1e-6)


def test_one_fold_is_too_few(tokens):
    ids, targets, _ = tokens
    with pytest.raises(UserError, match="at least 2"):
        summed(ids, targets, np.zeros_like(ids)).fit()
