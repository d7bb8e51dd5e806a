import numpy as np
import pytest

from posprobe.analysis.adjacency_batch import adjacency_scores
from posprobe.analysis.adjacency_score import adjacency_from_similarity, adjacency_score
from posprobe.core.errors import NonFiniteError


def one_by_one(states, **options):
    scores = [adjacency_score(one, **options) for one in states]
    return [[getattr(score, name) for score in scores] for name in ("rows", "triples", "left_out")]


@pytest.mark.parametrize("length", [3, 22, 300])
@pytest.mark.parametrize("options", [{}, {"ties": "half"}, {"feature": "norm"}])
def test_agrees_with_one_at_a_time(rng, length, options):
    states = rng.standard_normal((5, length, 6)).astype(np.float32)
    states[1, 1:3] = states[1, 0]
    found = adjacency_scores(states, **options)
    expected = one_by_one(states, **options)
    np.testing.assert_allclose([found.rows, found.triples, found.left_out], expected, rtol=1e-12)


def test_equal_tokens_tie_exactly(rng):
    tokens = rng.standard_normal((3, 768))
    states = tokens[rng.integers(3, size=(8, 22))]
    ids = np.stack([[np.flatnonzero((tokens == x).all(1))[0] for x in one] for one in states])
    unit = tokens / np.linalg.norm(tokens, axis=1, keepdims=True)
    cosines = (unit @ unit.T)[ids[:, :, None], ids[:, None, :]]
    expected = [adjacency_from_similarity(matrix).rows for matrix in cosines]
    np.testing.assert_allclose(adjacency_scores(states).rows, expected)


def test_sequences_with_zero_vectors_lose_only_those(rng):
    states = rng.standard_normal((4, 9, 3))
    states[2, [0, 5]] = 0.0
    states[3] = 0.0
    found = adjacency_scores(states)
    assert found.left_out.tolist() == [0, 0, 2, 9]
    assert np.isnan(found.rows).tolist() == [False, False, False, True]
    np.testing.assert_allclose([found.rows, found.triples, found.left_out], one_by_one(states))


def test_many_sequences_are_scored_in_parts(rng, monkeypatch):
    states = rng.standard_normal((7, 5, 3))
    whole = adjacency_scores(states)
    monkeypatch.setattr("posprobe.analysis.adjacency_batch._VALUES", 50)
    np.testing.assert_array_equal(adjacency_scores(states).rows, whole.rows)


@pytest.mark.parametrize("shape", [(0, 5, 3), (2, 2, 3), (2, 0, 3)])
def test_nothing_to_score(shape):
    found = adjacency_scores(np.ones(shape))
    assert found.rows.shape == (shape[0],)
    assert np.isnan(found.rows).all()


def test_non_finite_states_are_refused():
    with pytest.raises(NonFiniteError):
        adjacency_scores(np.full((1, 4, 2), np.inf))
