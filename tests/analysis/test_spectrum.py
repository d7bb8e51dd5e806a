import numpy as np
import pytest
from scipy.fft import dct

from posprobe.analysis.spectrum import low_share, power_spectrum


def test_agrees_with_the_definition_of_the_orthonormal_dct(rng):
    scores = rng.standard_normal((17, 3))
    t, k = np.arange(17), np.arange(17)[:, None]
    basis = np.sqrt(2 / 17) * np.cos(np.pi * k * (2 * t + 1) / 34)
    basis[0] /= np.sqrt(2)
    np.testing.assert_allclose(power_spectrum(scores), (basis @ scores).T ** 2, atol=1e-12)


def test_agrees_with_scipy(rng):
    scores = rng.standard_normal((64, 5))
    expected = dct(scores.T, type=2, norm="ortho") ** 2
    np.testing.assert_allclose(power_spectrum(scores), expected, atol=1e-12)


def test_power_adds_up_to_the_sum_of_squares(rng):
    scores = rng.standard_normal((50, 4))
    np.testing.assert_allclose(power_spectrum(scores).sum(axis=1), (scores**2).sum(axis=0))


@pytest.mark.parametrize(("k", "low"), [(1, 1.0), (4, 1.0), (5, 0.0), (20, 0.0)])
def test_low_means_frequencies_one_to_four(k, low):
    wave = np.cos(np.pi * k * (2 * np.arange(64) + 1) / 128)[:, None]
    assert low_share(wave) == pytest.approx(low, abs=1e-12)
