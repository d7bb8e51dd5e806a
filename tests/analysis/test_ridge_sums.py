import numpy as np
import pytest
import torch
from sklearn.linear_model import Ridge as ScikitRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from posprobe.analysis.ridge_sums import RidgeSums
from posprobe.core.errors import NonFiniteError, UserError

FOLDS = 4
GRID = (1e-6, 0.01, 0.3, 1.0, 3.0, 100.0)


@pytest.fixture
def tokens(rng):
    """Correlated states with large means and unequal spreads, two targets, folds by document."""
    n, width = 400, 12
    mixed = rng.standard_normal((n, width)) @ rng.standard_normal((width, width))
    states = mixed * np.logspace(-2, 2, width) + np.linspace(-500, 500, width)
    targets = np.stack([mixed[:, 0] + rng.standard_normal(n), mixed[:, :3].sum(1) ** 2], axis=1)
    fold = np.repeat(rng.permutation(20) % FOLDS, n // 20)
    return states, targets + np.array([1000.0, 0.0]), fold


def summed(states, targets, fold, *, batch=70, dtype=torch.float64):
    sums = RidgeSums(folds=FOLDS, width=states.shape[1], targets=targets.shape[1])
    for start in range(0, len(states), batch):
        part = slice(start, start + batch)
        sums.update(
            torch.tensor(states[part], dtype=dtype),
            torch.tensor(targets[part]),
            torch.tensor(fold[part]),
        )
    return sums


def scikit(states, targets, penalty):
    return make_pipeline(StandardScaler(), ScikitRidge(alpha=penalty * len(states))).fit(
        states, targets
    )


def held_out_errors(states, targets, fold):
    """Squared errors by penalty and target, each fold guessed by a fit of the others."""
    errors = np.zeros((len(GRID), targets.shape[1]))
    for row, penalty in enumerate(GRID):
        for number in np.unique(fold):
            test = fold == number
            guess = scikit(states[~test], targets[~test], penalty).predict(states[test])
            errors[row] += ((targets[test] - guess.reshape(-1, targets.shape[1])) ** 2).sum(axis=0)
    return errors


@pytest.mark.parametrize("penalty", [1e-6, 0.01, 100.0])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_fits_as_scikit_learn_does(tokens, penalty, dtype):
    states, targets, fold = tokens
    states = torch.tensor(states, dtype=dtype)
    found = summed(states.numpy(), targets, fold, dtype=dtype).fit(penalties=[penalty])
    expected = scikit(states.numpy().astype(np.float64), targets, penalty)
    np.testing.assert_allclose(
        found.predict(states), expected.predict(states.double().numpy()), rtol=0, atol=1e-6
    )
    scaler, ridge = expected[0], expected[1]
    np.testing.assert_allclose(found.weights, ridge.coef_ / scaler.scale_, rtol=1e-6, atol=1e-9)
    assert found.n == len(states)


def test_penalty_is_that_of_a_grouped_search(tokens):
    states, targets, fold = tokens
    # Few tokens and much noise, so that the two targets want penalties inside the grid.
    states, targets, fold = states[::5], targets[::5], fold[::5]
    errors = held_out_errors(states, targets, fold)
    best = np.array(GRID)[errors.argmin(axis=0)]
    assert best[0] != best[1]
    assert summed(states, targets, fold).fit(penalties=GRID).penalty.tolist() == best.tolist()
    together = GRID[errors.sum(axis=1).argmin()]
    assert (
        summed(states, targets, fold).fit(groups=[7, 7], penalties=GRID).penalty.tolist()
        == [together] * 2
    )


def test_one_class_target_shares_a_penalty_and_another_target_does_not(tokens):
    states, targets, fold = tokens
    classes = np.digitize(targets[:, 0], np.quantile(targets[:, 0], [0.3, 0.6]))
    columns = np.hstack([np.eye(3)[classes], targets])
    errors = held_out_errors(states, columns, fold)
    shared = GRID[errors[:, :3].sum(axis=1).argmin()]
    alone = [GRID[column.argmin()] for column in errors[:, 3:].T]
    found = summed(states, columns, fold).fit(groups=[0, 0, 0, 1, 2], penalties=GRID)
    assert found.penalty.tolist() == [shared] * 3 + alone


def test_batches_and_workers_do_not_matter(tokens):
    states, targets, fold = tokens
    whole = summed(states, targets, fold, batch=len(states)).fit()
    halves = [summed(*(part[half::2] for part in tokens)) for half in (0, 1)]
    halves[0].merge(halves[1])
    halves[0].merge(RidgeSums(folds=FOLDS, width=12, targets=2))
    empty = RidgeSums(folds=FOLDS, width=12, targets=2)
    empty.merge(halves[0])
    for other in (summed(states, targets, fold, batch=7), halves[0], empty):
        found = other.fit()
        assert found.penalty.tolist() == whole.penalty.tolist()
        assert found.n == whole.n
        np.testing.assert_allclose(found.weights, whole.weights, rtol=1e-7, atol=1e-10)
        np.testing.assert_allclose(found.intercept, whole.intercept, rtol=1e-7)


def test_merged_sums_are_independent(tokens):
    first, second = RidgeSums(folds=FOLDS, width=12, targets=2), summed(*tokens)
    first.merge(second)
    second.merge(first)
    assert (first.fit().n, second.fit().n) == (400, 800)


def test_planted_position_is_read(rng):
    position = np.tile(np.arange(50.0), 8)
    code = np.outer(position, rng.standard_normal(16))
    states = code + rng.standard_normal(code.shape)
    document = np.repeat(np.arange(8), 50)
    train = document < 6
    ridge = summed(states[train], position[train, None], document[train] % FOLDS).fit()
    guess = ridge.predict(torch.tensor(states[~train]))[:, 0]
    error = ((guess - position[~train]) ** 2).mean()
    assert 1 - error / position[~train].var() > 0.99


def test_random_features_beside_the_document_are_at_chance(rng):
    position = np.tile(np.arange(50.0), 20)
    document = np.repeat(np.arange(20), 50)
    states = np.hstack([rng.standard_normal((1000, 8)), document[:, None], np.ones((1000, 1))])
    train = document < 14
    ridge = summed(states[train], position[train, None], document[train] % FOLDS).fit()
    guess = ridge.predict(torch.tensor(states[~train]))[:, 0]
    r2 = 1 - ((guess - position[~train]) ** 2).mean() / position[~train].var()
    assert -0.02 < r2 < 0.01


def test_constant_features_have_no_weight(tokens):
    states, targets, fold = tokens
    constant = np.full((len(states), 2), [7.3, 0.0])
    for dtype in (torch.float64, torch.float32):
        found = summed(np.hstack([states, constant]), targets, fold, dtype=dtype).fit()
        np.testing.assert_array_equal(found.weights[:, -2:], 0.0)
    plain = summed(states, targets, fold).fit()
    found = summed(np.hstack([states, constant]), targets, fold).fit()
    np.testing.assert_allclose(found.weights[:, :-2], plain.weights, rtol=1e-9)


def test_a_feature_that_rounding_alone_moves_has_no_weight(tokens, rng):
    states, targets, fold = tokens
    jitter = np.float32(3.0) + np.float32(2**-22) * rng.integers(0, 2, (len(states), 1))
    found = summed(np.hstack([states, jitter]), targets, fold, dtype=torch.float32).fit()
    np.testing.assert_array_equal(found.weights[:, -1], 0.0)


def test_features_constant_in_all_folds_but_one_are_left_out_there(tokens, rng):
    states, targets, fold = tokens
    # The first batch has tokens of that fold, so the constants are not what the sums centre on.
    here = (fold == fold[0])[:, None]
    odd = np.where(here, 1e4 * rng.standard_normal((len(fold), 8)), rng.standard_normal(8))
    states = np.hstack([states, odd])
    errors = held_out_errors(states, targets, fold)
    found = summed(states, targets, fold).fit(penalties=GRID)
    assert found.penalty.tolist() == np.array(GRID)[errors.argmin(axis=0)].tolist()


def test_constant_targets_are_guessed_without_weights(tokens):
    states, targets, fold = tokens
    columns = np.hstack([targets, np.full((len(states), 1), 0.1)])
    found = summed(states, columns, fold).fit()
    np.testing.assert_array_equal(found.weights[2], 0.0)
    assert found.intercept[2] == pytest.approx(0.1)
    np.testing.assert_allclose(found.weights[:2], summed(states, targets, fold).fit().weights)


def test_more_features_than_tokens(rng):
    states, targets = rng.standard_normal((20, 50)), rng.standard_normal((20, 1))
    found = summed(states, targets, np.arange(20) % FOLDS).fit(penalties=[0.5])
    expected = scikit(states, targets, 0.5).predict(states).reshape(-1, 1)
    np.testing.assert_allclose(found.predict(torch.tensor(states)), expected, atol=1e-9)


def test_folds_without_tokens_take_no_part(tokens):
    states, targets, fold = tokens
    two = fold % 2
    errors = held_out_errors(states, targets, two)
    found = summed(states, targets, two).fit(penalties=GRID)
    assert found.penalty.tolist() == np.array(GRID)[errors.argmin(axis=0)].tolist()


@pytest.mark.parametrize("tokens_of", [0, 30])
def test_one_fold_is_too_few(tokens, tokens_of):
    states, targets, fold = (part[:tokens_of] for part in tokens)
    with pytest.raises(UserError, match="at least 2"):
        summed(states, targets, np.zeros_like(fold)).fit()


def test_groups_must_fit(tokens):
    with pytest.raises(UserError, match="3 labels for 2 targets"):
        summed(*tokens).fit(groups=[0, 1, 1])


def test_non_finite_numbers_are_named():
    sums = RidgeSums(folds=2, width=2, targets=1, site="blocks.1.hook_resid_post")
    states, targets = torch.tensor([[1.0, torch.inf]]), torch.zeros(1, 1)
    with pytest.raises(NonFiniteError, match=r"blocks\.1\.hook_resid_post: 50 %"):
        sums.update(states, targets, torch.tensor([0]))
    with pytest.raises(NonFiniteError, match="targets"):
        sums.update(torch.ones(1, 2), targets * torch.nan, torch.tensor([0]))
