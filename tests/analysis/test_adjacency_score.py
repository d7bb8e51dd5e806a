import json

import numpy as np
import pytest
from scipy.stats import kendalltau

from posprobe.analysis.adjacency_score import adjacency_from_similarity, adjacency_score
from posprobe.core.errors import NonFiniteError, UserError


def circle(length, step=0.05):
    angle = step * np.arange(length)[:, None]
    return np.hstack([np.cos(angle), np.sin(angle)])


def three_loops(states, ties="strict"):
    unit = states / np.linalg.norm(states, axis=1, keepdims=True)
    cosines = np.round(unit @ unit.T, 12)
    shares, hits, total = [], 0.0, 0
    for k in range(2, len(states)):
        found = 0.0
        for j in range(k):
            for i in range(j):
                found += cosines[k, i] < cosines[k, j]
                found += 0.5 * (ties == "half" and cosines[k, i] == cosines[k, j])
        shares.append(found / (k * (k - 1) / 2))
        hits, total = hits + found, total + k * (k - 1) / 2
    return np.mean(shares), hits / total


@pytest.mark.parametrize("ties", ["strict", "half"])
@pytest.mark.parametrize("length", [3, 9, 50])
def test_agrees_with_three_loops(rng, length, ties):
    tokens = rng.standard_normal((6, 8))
    states = tokens[rng.integers(6, size=length)]
    found = adjacency_score(states, ties=ties)
    np.testing.assert_allclose([found.rows, found.triples], three_loops(states, ties), rtol=1e-12)


def test_similarity_that_falls_with_distance_scores_one():
    found = adjacency_score(circle(30))
    assert (found.rows, found.triples) == (1.0, 1.0)


def test_similarity_that_rises_with_distance_scores_zero():
    distance = np.abs(np.arange(30)[:, None] - np.arange(30)).astype(float)
    assert adjacency_from_similarity(distance).rows == 0.0
    assert adjacency_from_similarity(-distance).rows == 1.0


def test_rows_of_the_identity_all_tie():
    strict, half = adjacency_score(np.eye(20)), adjacency_score(np.eye(20), ties="half")
    assert (strict.rows, strict.triples) == (0.0, 0.0)
    assert (half.rows, half.triples) == (0.5, 0.5)


def test_independent_rows_score_one_half(rng):
    scores = [adjacency_score(rng.standard_normal((40, 64))) for _ in range(60)]
    assert np.mean([score.rows for score in scores]) == pytest.approx(0.5, abs=0.02)
    assert np.mean([score.triples for score in scores]) == pytest.approx(0.5, abs=0.02)


def test_running_means_tend_to_one_as_the_width_grows(rng):
    def running_means(width):
        return rng.standard_normal((20, width)).cumsum(axis=0) / np.arange(1, 21)[:, None]

    narrow, wide = running_means(8), running_means(60_000)
    unit = wide / np.linalg.norm(wide, axis=1, keepdims=True)
    i, n = np.tril_indices(20)[::-1]
    np.testing.assert_allclose((unit @ unit.T)[n, i], np.sqrt((i + 1) / (n + 1)), atol=0.02)
    assert adjacency_score(narrow).rows < adjacency_score(wide).rows
    assert adjacency_score(wide).rows > 0.99


def test_is_kendalls_tau_without_ties(rng):
    matrix = rng.standard_normal((25, 25))
    taus = [kendalltau(np.arange(k), matrix[k, :k]).statistic for k in range(2, 25)]
    found = adjacency_from_similarity(matrix)
    assert found.rows == pytest.approx(np.mean([(tau + 1) / 2 for tau in taus]))


def test_half_ties_are_kendalls_tau_a(rng):
    matrix = rng.integers(0, 5, (25, 25)).astype(float)

    def tau_a(k):
        far, near = np.triu_indices(k, 1)
        return np.sign(matrix[k, near] - matrix[k, far]).mean()

    expected = np.mean([(tau_a(k) + 1) / 2 for k in range(2, 25)])
    assert adjacency_from_similarity(matrix, ties="half").rows == pytest.approx(expected)


@pytest.mark.parametrize("name", ["m0", "m1", "m2", "m3_ties", "m4"])
def test_small_matrices_score_as_the_authors_code(golden, name):
    arrays = np.load(golden / "adjacency_small.npz")
    expected = json.loads((golden / "adjacency_small.json").read_text())[name]["score"]
    found = adjacency_from_similarity(arrays[name])
    assert found.triples == pytest.approx(expected, abs=1e-9)
    assert found.triples == pytest.approx(arrays[f"{name}_score"].item(), abs=1e-9)


@pytest.mark.parametrize("model", ["nopefork_nope", "nopefork_nores", "nopefork_sin"])
@pytest.mark.parametrize("task", ["rev", "add", "order", "wherex"])
def test_real_matrices_score_as_the_authors_code(golden, model, task):
    arrays = np.load(golden / f"{model}.adjacency.npz")
    cosines = arrays[f"{task}_cos"]
    found = [[adjacency_from_similarity(one).triples for one in level] for level in cosines]
    np.testing.assert_allclose(found, arrays[f"{task}_score"], atol=1e-9)


@pytest.mark.parametrize("block", [1, 2, 7, 1000])
@pytest.mark.parametrize("feature", ["cosine", "norm"])
def test_blocks_do_not_change_the_score(rng, block, feature):
    states = rng.standard_normal((60, 5))
    whole = adjacency_score(states, feature=feature)
    assert adjacency_score(states, feature=feature, block=block) == whole


def test_long_sequences_use_smaller_blocks(rng, monkeypatch):
    states = rng.standard_normal((300, 4))
    whole = adjacency_score(states)
    monkeypatch.setattr("posprobe.analysis.adjacency_score._VALUES", 1000)
    assert adjacency_score(states) == whole


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_equal_tokens_tie_exactly(rng, dtype):
    tokens = rng.standard_normal((2, 768)).astype(dtype)
    states = tokens[[0, 1] * 20]
    # Of a query's earlier tokens half are its own kind (cosine 1); all others tie.
    assert adjacency_score(states, ties="half").triples == pytest.approx(
        three_loops(states.astype(np.float64), "half")[1]
    )
    assert adjacency_score(tokens[[0] * 40]).rows == 0.0


def test_scale_does_not_matter_to_the_cosine(rng):
    states = rng.standard_normal((20, 6))
    scales = np.exp2(rng.integers(-30, 30, 20))[:, None]
    assert adjacency_score(states * scales) == adjacency_score(states)


def test_zero_vectors_are_left_out_and_counted():
    states = circle(12)
    with_gaps = np.insert(states, [0, 4, 12], 0.0, axis=0)
    found = adjacency_score(with_gaps)
    assert (found.rows, found.left_out) == (1.0, 3)
    assert found.rows == adjacency_score(states).rows


@pytest.mark.parametrize("length", [0, 1, 2])
def test_short_sequences_are_undefined(length):
    found = adjacency_score(circle(length))
    assert np.isnan([found.rows, found.triples]).all()
    assert found.undefined
    assert adjacency_score(np.zeros((9, 3))).left_out == 9


def test_norms_that_shrink_score_one(rng):
    directions = rng.standard_normal((15, 4))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    shrinking = directions * np.linspace(2, 1, 15)[:, None]
    assert adjacency_score(shrinking, feature="norm").rows == 1.0
    assert adjacency_score(shrinking[::-1], feature="norm").rows == 0.0
    assert adjacency_score(np.eye(5), feature="norm", ties="half").rows == 0.5
    assert adjacency_score(np.zeros((5, 3)), feature="norm").left_out == 0


def test_norms_agree_with_their_matrix(rng):
    states = rng.standard_normal((18, 4))
    matrix = np.tile(-np.linalg.norm(states, axis=1), (18, 1))
    assert adjacency_score(states, feature="norm") == adjacency_from_similarity(matrix)


def test_non_finite_states_are_refused():
    states = circle(5)
    states[2, 0] = np.nan
    with pytest.raises(NonFiniteError, match="states: 10 %"):
        adjacency_score(states)
    with pytest.raises(NonFiniteError, match="similarity matrix"):
        adjacency_from_similarity(np.full((4, 4), np.nan))


def test_mistakes_are_named():
    with pytest.raises(UserError, match="block=0"):
        adjacency_score(circle(5), block=0)
