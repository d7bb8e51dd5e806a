import numpy as np
import pytest

from posprobe.analysis.vector_math import exponentials, logarithms


def of(function, values):
    out, work = np.empty((2, len(values)))
    function(values, len(values), out, work, work.view(np.int64))
    return out


def test_exponentials_are_those_of_numpy():
    values = -np.geomspace(1e-12, 707, 5000)
    np.testing.assert_allclose(of(exponentials, values), np.exp(values), rtol=1e-15)
    assert of(exponentials, np.zeros(3)).tolist() == [1, 1, 1]


def test_what_is_far_below_zero_is_as_good_as_zero():
    assert (of(exponentials, np.array([-800.0, -1e300, -np.inf])) < 1e-300).all()


@pytest.mark.parametrize("values", [np.geomspace(1e-300, 2, 5000), 1 + np.geomspace(1e-15, 1, 99)])
def test_logarithms_are_those_of_numpy(values):
    np.testing.assert_allclose(of(logarithms, values), np.log(values), rtol=1e-15, atol=1e-300)
    assert of(logarithms, np.ones(3)).tolist() == [0, 0, 0]
