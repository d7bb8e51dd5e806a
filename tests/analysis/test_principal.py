import numpy as np
import pytest
from sklearn.decomposition import PCA

from posprobe.analysis.principal import principal_components


@pytest.fixture
def table(rng):
    return rng.standard_normal((40, 12)) * np.linspace(3, 0.1, 12)


def test_agrees_with_scikit_learn(table):
    reference = PCA(svd_solver="full").fit(table)
    found = principal_components(table)

    ratio = found.variances / found.variances.sum()
    np.testing.assert_allclose(ratio, reference.explained_variance_ratio_, rtol=1e-10)
    signs = np.sign((found.loadings * reference.components_).sum(axis=1))
    np.testing.assert_allclose(found.loadings, reference.components_ * signs[:, None], atol=1e-9)
    np.testing.assert_allclose(found.scores, reference.transform(table) * signs, atol=1e-9)


def test_largest_entry_of_each_component_is_positive(table):
    loadings = principal_components(table).loadings
    largest = np.abs(loadings).argmax(axis=1)
    assert (loadings[np.arange(len(loadings)), largest] > 0).all()


def test_signs_do_not_depend_on_the_solver_or_the_order_of_rows(table):
    order = np.random.default_rng(1).permutation(len(table))
    found, permuted = principal_components(table), principal_components(table[order])
    np.testing.assert_allclose(permuted.loadings, found.loadings, atol=1e-9)
    np.testing.assert_allclose(permuted.scores, found.scores[order], atol=1e-9)


def test_entries_of_equal_size_leave_the_sign_to_the_first(rng):
    line = np.array([1.0, -1.0, 1.0, -1.0]) / 2
    for _ in range(20):
        noise = 1e-14 * rng.standard_normal((9, 4))
        table = np.linspace(-1, 1, 9)[:, None] * line + noise
        assert principal_components(table).loadings[0, 0] > 0


def test_rank_sees_through_rounding():
    steps = np.linspace(0, 1, 30)[:, None]
    assert principal_components(1e3 + steps * np.array([[0.3, 0.7, -0.2]])).rank == 1
    assert principal_components(np.full((30, 3), 0.1)).rank == 0
    assert principal_components(np.full((1, 3), 0.1)).rank == 0
