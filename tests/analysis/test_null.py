import numpy as np

from posprobe.analysis.null import compare


def test_means_spreads_and_excess(rng):
    drawn = rng.uniform(0.1, 0.5, (7, 3))
    found = compare((0.9, 0.8, 0.05), drawn)
    mean, sd = drawn.mean(axis=0), drawn.std(axis=0, ddof=1)

    np.testing.assert_allclose([found.top2, found.low4_top2, found.low4_all], mean)
    np.testing.assert_allclose([found.top2_sd, found.low4_top2_sd, found.low4_all_sd], sd)
    excess = [found.excess_top2, found.excess_low4_top2, found.excess_low4_all]
    np.testing.assert_allclose(excess, ((0.9, 0.8, 0.05) - mean) / (1 - mean))
    assert found.excess_low4_all < 0
    assert found.draws == 7


def test_no_excess_over_a_null_of_one():
    assert np.isnan(compare((1.0, 1.0, 1.0), np.ones((3, 3))).excess_top2)


def test_one_draw_has_no_spread():
    assert np.isnan(compare((0.5, 0.5, 0.5), np.zeros((1, 3))).top2_sd)


def test_equal_draws_do_not_round():
    found = compare((0.1, 0.1, 0.1), np.full((3, 3), 0.1))
    assert (found.top2, found.top2_sd, found.excess_top2) == (0.1, 0.0, 0.0)
