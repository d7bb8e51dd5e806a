import numpy as np
import pytest

from posprobe.analysis.principal import principal_components
from posprobe.analysis.random_tables import random_table_scores, shuffled_low4
from posprobe.analysis.spectrum import low_share


@pytest.mark.parametrize("kind", ["gaussian", "random walk"])
@pytest.mark.parametrize("shape", [(40, 12), (12, 40), (9, 1), (2, 5)])
def test_agrees_with_the_full_decomposition(kind, shape):
    found = random_table_scores(kind, *shape, seed=3, draws=1)[0]
    table = np.random.default_rng([3, ["gaussian", "random walk"].index(kind)])
    table = table.standard_normal(shape)
    if kind == "random walk":
        table = table.cumsum(axis=0)
    full = principal_components(table)
    ratio = full.variances / full.variances.sum()
    expected = [
        ratio[:2].sum(),
        low_share(full.scores[:, :2]),
        low_share(table - table.mean(axis=0)),
    ]
    np.testing.assert_allclose(found, expected, atol=1e-10)


@pytest.mark.parametrize(("width", "floor"), [(16, 0.20), (96, 0.065)])
def test_gaussian_floor_depends_on_the_width(width, floor):
    top2 = random_table_scores("gaussian", 128, width, seed=0, draws=20)[:, 0]
    assert top2.mean() == pytest.approx(floor, abs=0.015)


def test_a_random_walk_is_smooth_and_nearly_flat():
    top2, low4_top2, low4_all = random_table_scores("random walk", 128, 96, seed=0, draws=20).mean(
        axis=0
    )
    assert top2 == pytest.approx(0.75, abs=0.05)
    assert low4_top2 > 0.95
    assert 0.8 < low4_all < 0.98


def test_same_seed_same_numbers():
    def draw(seed):
        random_table_scores.cache_clear()
        return random_table_scores("gaussian", 20, 6, seed=seed, draws=3)

    assert np.array_equal(draw(0), draw(0))
    assert not np.array_equal(draw(0), draw(1))


def test_the_cache_cannot_be_spoilt():
    found = random_table_scores("gaussian", 20, 6, seed=0, draws=3)
    with pytest.raises(ValueError, match="read-only"):
        found[0, 0] = 0.0


def test_shuffled_rows_have_a_flat_spectrum():
    ramp = np.linspace(-1, 1, 128)[:, None] * np.ones((1, 3))
    low4 = shuffled_low4(ramp, ramp[:, :1], seed=0, draws=40)
    np.testing.assert_allclose(low4.mean(axis=0), 4 / 127, atol=0.01)
