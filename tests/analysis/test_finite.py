import numpy as np
import pytest

from posprobe.analysis.finite import require_finite
from posprobe.core.errors import NonFiniteError


def test_finite_numbers_pass():
    require_finite(np.array([[0.0, -1e300]]), "x")
    require_finite(np.zeros((0, 3)), "x")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_the_message_names_what_and_how_much(bad):
    with pytest.raises(NonFiniteError, match="layer 3, ap logits: 25 % of 4 values"):
        require_finite(np.array([1.0, bad, 2.0, 3.0]), "layer 3, ap logits")
