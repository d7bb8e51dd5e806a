import numpy as np
import pytest
import torch

from posprobe.analysis.adjacency_score import adjacency_score
from posprobe.analysis.adjacency_sums import AdjacencySums
from posprobe.analysis.resampling import bootstrap_mean
from posprobe.core.errors import CorpusError, NonFiniteError

SITE = "blocks.0.attn.hook_z"


def sums_of(*batches, **options):
    sums = AdjacencySums(condition="checkpoint", site=SITE, layer=0, **options)
    start = 0
    for batch in batches:
        sums.update(batch, torch.arange(start, start + len(batch)))
        start += len(batch)
    return sums


@pytest.fixture
def states():
    return torch.randn(6, 10, 5)


def test_scores_are_those_of_each_sequence(states):
    cosine, norm = sums_of(states, ties="half", head=3).scores(seed=0)
    for score, feature in ((cosine, "cosine"), (norm, "norm")):
        alone = [adjacency_score(one.numpy(), feature=feature, ties="half") for one in states]
        np.testing.assert_allclose(score.rows, [one.rows for one in alone])
        np.testing.assert_allclose(score.triples, [one.triples for one in alone])
        assert (score.feature, score.head, score.layer, score.site) == (feature, 3, 0, SITE)
    interval = bootstrap_mean(cosine.triples, seed=0)
    found = (cosine.triples_mean, cosine.triples_sd, cosine.triples_low, cosine.triples_high)
    assert found == (interval.mean, interval.sd, interval.low, interval.high)
    assert (cosine.undefined, cosine.note) == (None, None)


def test_batches_add_up_to_the_whole(states):
    whole, parts = sums_of(states), sums_of(states[:1], states[1:4], states[4:])
    np.testing.assert_allclose(parts.scores(seed=0)[0].rows, whole.scores(seed=0)[0].rows)
    np.testing.assert_allclose(parts.similarity().matrix, whole.similarity().matrix)
    np.testing.assert_allclose(parts.variance().values, whole.variance().values)


def test_order_of_sequences_does_not_matter_to_the_means(states):
    one, other = sums_of(states), sums_of(states.flip(0))
    assert other.scores(seed=0)[0].rows_mean == pytest.approx(one.scores(seed=0)[0].rows_mean)
    np.testing.assert_allclose(other.similarity().matrix, one.similarity().matrix)


def test_similarity_is_the_mean_cosine(states):
    unit = states.double() / states.double().norm(dim=2, keepdim=True)
    similarity = sums_of(states).similarity()
    assert similarity.stride == 1
    np.testing.assert_allclose(similarity.matrix, (unit @ unit.mT).mean(0), atol=1e-12)


def test_long_similarities_are_means_over_blocks():
    states = torch.randn(2, 150, 4)
    states[0, 3:6] = 0.0
    states[:, 140] = 0.0
    similarity = sums_of(states).similarity()
    assert similarity.stride == 3
    unit = states.double() / states.double().norm(dim=2, keepdim=True)
    cosines = (unit @ unit.mT).numpy()

    def block(i, j):
        return np.nanmean(cosines[:, 3 * i : 3 * i + 3, 3 * j : 3 * j + 3])

    for i, j in ((0, 0), (1, 1), (4, 9), (46, 49)):
        assert similarity.matrix[i, j] == pytest.approx(block(i, j))
    assert similarity.matrix.shape == (50, 50)


@pytest.mark.parametrize("length", [64, 65, 127, 129, 1000])
def test_pictures_stay_small(length):
    similarity = sums_of(torch.randn(1, length, 2)).similarity()
    assert 32 < len(similarity.matrix) <= 64
    assert similarity.stride * len(similarity.matrix) >= length


def test_positions_without_direction_have_no_similarity(states):
    states[:, 4] = 0.0
    sums = sums_of(states)
    assert np.isnan(sums.similarity().matrix[4]).all()
    assert np.isfinite(np.delete(np.delete(sums.similarity().matrix, 4, 0), 4, 1)).all()
    assert sums.scores(seed=0)[0].left_out == 6


def test_variance_by_position(states):
    expected = states.double().numpy().var(axis=2).mean(axis=0)
    np.testing.assert_allclose(sums_of(states).variance().values, expected)


def test_half_precision_is_scored_in_double(states):
    half = states.bfloat16()
    expected = sums_of(half.double()).scores(seed=0)[0]
    np.testing.assert_array_equal(sums_of(half).scores(seed=0)[0].rows, expected.rows)


def test_undefined_sequences_are_said_and_left_out_of_the_mean(states):
    states[1] = 0.0
    score = sums_of(states).scores(seed=0)[0]
    assert score.note.startswith("1 of 6 sequences have no score")
    assert score.rows_mean == pytest.approx(np.nanmean(score.rows))
    nothing = sums_of(torch.zeros(2, 10, 5)).scores(seed=0)[0]
    assert nothing.undefined
    assert np.isnan(nothing.rows_mean)


@pytest.mark.parametrize("draws", [None, 20])
def test_the_order_in_which_sequences_come_makes_no_difference(states, draws):
    whole = sums_of(states, draws=draws)
    mixed = AdjacencySums(condition="checkpoint", site=SITE, layer=0, draws=draws)
    for chosen in ([4, 1], [0], [5, 3, 2]):
        mixed.update(states[chosen], torch.tensor(chosen))
    for found, expected in zip(mixed.scores(seed=0), whole.scores(seed=0), strict=True):
        np.testing.assert_array_equal(found.rows, expected.rows)
        assert (found.triples_low, found.left_out) == (expected.triples_low, expected.left_out)


def test_one_sequence_has_no_spread(states):
    score = sums_of(states[:1]).scores(seed=0)[0]
    assert score.note == "one sequence, so there is no spread"
    assert np.isnan([score.rows_sd, score.rows_low, score.rows_high]).all()
    assert np.isfinite(score.rows_mean)


def test_only_scores_are_kept():
    sums = AdjacencySums(condition="checkpoint", site=SITE)
    sizes = []
    for turn in range(3):
        sums.update(torch.randn(2, 200, 3), torch.tensor([2 * turn, 2 * turn + 1]))
        sizes.append((sums._similarity.shape, sums._variance.shape, len(sums._scores["norm"])))
    assert sizes == [((50, 50), (200,), n) for n in (1, 2, 3)]


def test_mistakes_are_named(states):
    with pytest.raises(CorpusError, match="10 tokens after some of 9"):
        sums_of(states[:, :9], states)
    with pytest.raises(CorpusError, match=SITE):
        sums_of().scores(seed=0)
    states[0, 0, 0] = torch.nan
    with pytest.raises(NonFiniteError, match=SITE):
        sums_of(states)


def test_estimate_is_close_seeded_and_says_so(states):
    exact = sums_of(states).scores(seed=0)[0]
    first, again = (sums_of(states, draws=4000, seed=7).scores(seed=0)[0] for _ in range(2))
    np.testing.assert_array_equal(first.rows, again.rows)
    np.testing.assert_allclose(first.rows, exact.rows, atol=5 * 0.5 / 4000**0.5)
    np.testing.assert_allclose(first.triples, exact.triples, atol=5 * 0.5 / 4000**0.5)
    assert not np.array_equal(first.rows, exact.rows)
    assert first.note == "estimated from 4000 triples a sequence, standard error 0.0079"
