import numpy as np
import pytest
from scipy.stats import bootstrap

from posprobe.analysis.resampling import bootstrap_mean, jackknife_se
from posprobe.core.errors import UserError


def test_bootstrap_agrees_with_scipy(rng):
    values = rng.gamma(2.0, size=60)
    found = bootstrap_mean(values, seed=0, draws=20_000)
    reference = bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    assert found.mean == values.mean()
    assert found.sd == values.std(ddof=1)
    np.testing.assert_allclose([found.low, found.high], reference, rtol=0.01)


def test_same_seed_same_numbers(rng):
    values = rng.standard_normal(30)
    assert bootstrap_mean(values, seed=4) == bootstrap_mean(values, seed=4)
    assert bootstrap_mean(values, seed=4) != bootstrap_mean(values, seed=5)
    assert bootstrap_mean(values, seed=np.random.default_rng(4)) == bootstrap_mean(values, seed=4)


def test_the_level_widens_the_interval(rng):
    values = rng.standard_normal(30)
    wide, narrow = (bootstrap_mean(values, seed=0, level=level) for level in (0.99, 0.5))
    assert wide.low < narrow.low < narrow.mean < narrow.high < wide.high


def test_many_values_are_resampled_in_blocks(rng, monkeypatch):
    values = rng.standard_normal(50)
    monkeypatch.setattr("posprobe.analysis.resampling._BLOCK", 120)
    found = bootstrap_mean(values, seed=0, draws=4001)
    spread = values.std() / np.sqrt(50)
    assert found.high - found.low == pytest.approx(2 * 1.96 * spread, rel=0.1)


def test_one_value_has_no_spread():
    found = bootstrap_mean(np.array([0.3]), seed=0)
    assert found.mean == 0.3
    assert np.isnan([found.sd, found.low, found.high]).all()
    assert np.isnan(bootstrap_mean(np.zeros(0), seed=0).mean)


@pytest.mark.parametrize("options", [{"draws": 0}, {"level": 1.0}, {"level": 0.0}])
def test_mistakes_are_named(options):
    with pytest.raises(UserError, match=next(iter(options))):
        bootstrap_mean(np.ones(3), seed=0, **options)


def test_jackknife_of_a_mean_is_its_standard_error(rng):
    values = rng.standard_normal((12, 2, 3))
    without = (values.sum(axis=0) - values) / 11
    expected = values.std(axis=0, ddof=1) / np.sqrt(12)
    np.testing.assert_allclose(jackknife_se(without), expected)


def test_jackknife_needs_two_groups():
    assert np.isnan(jackknife_se(np.ones((1, 2)))).all()
