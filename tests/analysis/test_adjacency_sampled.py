import numpy as np
import pytest

from posprobe.analysis.adjacency_sampled import adjacency_sampled
from posprobe.analysis.adjacency_score import adjacency_score
from posprobe.core.errors import UserError


@pytest.mark.parametrize("options", [{}, {"ties": "half"}, {"feature": "norm"}])
def test_estimates_the_exact_score_within_its_error(rng, options):
    # Early queries score high and late ones low, so that the two averages differ.
    states = rng.standard_normal((150, 3)).cumsum(axis=0)
    states[60:] = rng.integers(-1, 2, (90, 3))
    exact = adjacency_score(states, **options)
    found = [adjacency_sampled(states, seed=seed, draws=2000, **options) for seed in range(30)]
    assert abs(exact.rows - exact.triples) > 0.02
    for average in ("rows", "triples"):
        values = np.array([getattr(one, average) for one in found])
        errors = np.array([getattr(one, f"{average}_se") for one in found])
        assert values.mean() == pytest.approx(getattr(exact, average), abs=0.006)
        assert values.std(ddof=1) == pytest.approx(errors.mean(), rel=0.4)
    assert found[0].left_out == exact.left_out


def test_same_seed_same_estimate(rng):
    states = rng.standard_normal((40, 4))
    assert adjacency_sampled(states, seed=3, draws=50) == adjacency_sampled(
        states, seed=3, draws=50
    )
    assert adjacency_sampled(states, seed=3, draws=50) != adjacency_sampled(
        states, seed=4, draws=50
    )


def test_the_shortest_sequence():
    states = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    found = adjacency_sampled(states, seed=0, draws=10)
    assert (found.rows, found.triples, found.rows_se) == (1.0, 1.0, 0.0)


def test_undefined_without_three_tokens():
    found = adjacency_sampled(np.eye(4)[:, :2], seed=0)
    assert found.undefined
    assert found.left_out == 2
    assert np.isnan([found.rows, found.rows_se]).all()


def test_mistakes_are_named():
    with pytest.raises(UserError, match="draws=1"):
        adjacency_sampled(np.eye(4), seed=0, draws=1)
