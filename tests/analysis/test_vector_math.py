import numpy as np
import pytest
from numba import njit

from posprobe.analysis.vector_math import exponential, largest, logarithm


def each(function):
    """Call a compiled function for each number, in a loop that becomes vectors."""

    @njit
    def loop(values):
        out = np.empty_like(values)
        for i in range(len(values)):
            out[i] = function(values[i])
        return out

    return loop


exponentials, logarithms = each(exponential), each(logarithm)


def test_exponentials_are_those_of_numpy():
    values = -np.geomspace(1e-12, 707, 5000)
    np.testing.assert_allclose(exponentials(values), np.exp(values), rtol=1e-15)
    assert exponentials(np.zeros(3)).tolist() == [1, 1, 1]


def test_what_is_far_below_zero_is_as_good_as_zero():
    assert (exponentials(np.array([-800.0, -1e300, -np.inf])) < 1e-300).all()


@pytest.mark.parametrize("values", [np.geomspace(1e-300, 2, 5000), 1 + np.geomspace(1e-15, 1, 99)])
def test_logarithms_are_those_of_numpy(values):
    np.testing.assert_allclose(logarithms(values), np.log(values), rtol=1e-15, atol=1e-300)
    assert logarithms(np.ones(3)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("row", [[-3.0, -0.5, -1e300], [0.0, 2.5, -7.0], [-np.inf, 1e-310, np.inf]])
def test_the_largest_of_a_row(row):
    values = np.array([[9.0] * 4, [*row, 9.0]])
    assert largest(values, 1, 3) == max(row)
    assert np.isnan(largest(np.array([[1.0, np.nan]]), 0, 2))
