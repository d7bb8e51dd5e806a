import numpy as np
import pytest
from scipy.stats import norm, ttest_ind, ttest_rel

from posprobe.analysis.differences import (
    NORMAL,
    error_difference,
    jackknife_difference,
    paired_difference,
    separate_difference,
)

RNG = np.random.default_rng(3)
HARD = RNG.normal(0.5, 0.2, size=400)
A, B = HARD + RNG.normal(0, 0.02, size=400), HARD + 0.01 + RNG.normal(0, 0.02, size=400)


def test_paired_intervals_agree_with_the_t_test():
    found = paired_difference(A, B, seed=0, draws=4000)
    expected = ttest_rel(B, A).confidence_interval(0.95)
    assert found.mean == pytest.approx((B - A).mean())
    assert found.low == pytest.approx(expected.low, abs=3e-4)
    assert found.high == pytest.approx(expected.high, abs=3e-4)


def test_the_jackknife_of_a_mean_agrees_with_the_t_test():
    # Leaving out one sample of a mean is the case that theory knows.
    without = [(values.sum() - values) / (len(values) - 1) for values in (A, B)]
    found = jackknife_difference(A.mean(), B.mean(), without_a=without[0], without_b=without[1])
    expected = ttest_rel(B, A).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    lone = jackknife_difference(0.0, 1.0, without_a=A[:1], without_b=B[:1])
    assert lone.mean == 1.0
    assert np.isnan(lone.low)


def test_separate_intervals_agree_with_welch():
    found = separate_difference(A, B[:150], seed=0, draws=4000)
    expected = ttest_ind(B[:150], A, equal_var=False).confidence_interval(0.95)
    assert found.mean == pytest.approx(B[:150].mean() - A.mean())
    assert found.low == pytest.approx(expected.low, abs=4e-3)
    assert found.high == pytest.approx(expected.high, abs=4e-3)


def test_pairing_takes_out_what_both_share():
    paired, apart = paired_difference(A, B, seed=0), separate_difference(A, B, seed=0)
    assert paired.mean == pytest.approx(apart.mean)
    assert 5 * (paired.high - paired.low) < apart.high - apart.low


def test_samples_that_lack_a_number_are_left_out():
    a, b = A.copy(), B.copy()
    a[:100], b[50:120] = np.nan, np.nan
    assert paired_difference(a, b, seed=0) == paired_difference(A[120:], B[120:], seed=0)
    apart = separate_difference(a, b, seed=0)
    assert apart.mean == pytest.approx(np.nanmean(b) - np.nanmean(a))


def test_errors_add_as_independent_ones_do():
    found = error_difference(0.2, 0.5, se_a=0.03, se_b=0.04)
    assert (found.high - found.mean) / norm.ppf(0.975) == pytest.approx(0.05)
    assert pytest.approx(norm.ppf(0.975)) == NORMAL
    assert np.isnan(error_difference(0.2, 0.5, se_a=np.nan, se_b=0.1).low)


@pytest.mark.parametrize("samples", [0, 1])
def test_too_few_samples_have_no_interval(samples):
    few, many = A[:samples], B
    assert np.isnan(separate_difference(few, many, seed=0).low)
    assert np.isnan(paired_difference(few, B[:samples], seed=0).low)
    assert np.isnan(separate_difference(few, many, seed=0).mean) == (samples == 0)


def test_the_same_seed_gives_the_same_interval():
    one, same = (separate_difference(A, B, seed=1) for _ in range(2))
    assert (one.mean, one.low, one.high) == (same.mean, same.low, same.high)
    assert separate_difference(A, B, seed=1).low != separate_difference(A, B, seed=2).low
