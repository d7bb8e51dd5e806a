"""Planted parts, and the same numbers from plain loops."""

import itertools

import numpy as np
import pytest
import torch

from posprobe.analysis.state_parts import StateSums
from posprobe.core.errors import CorpusError, NonFiniteError

SITE = "blocks.0.hook_resid_post"


def measured(states, *, batch=7, **facts):
    sums = StateSums()
    for start in range(0, len(states), batch):
        some = torch.from_numpy(states[start : start + batch])
        sums.update(some, torch.arange(start, start + len(some)))
    return sums.result(site=SITE, layer=0, **facts)


def plain_shares(states):
    """The two-way analysis of variance, cell by cell."""
    n, positions, _ = states.shape
    mean = states.mean(axis=(0, 1))
    by_position, by_document = states.mean(axis=0), states.mean(axis=1)
    rest = sum(
        ((states[d, t] - by_document[d] - by_position[t] + mean) ** 2).sum()
        for d, t in itertools.product(range(n), range(positions))
    ) / ((n - 1) * (positions - 1))
    of_position = n * ((by_position - mean) ** 2).sum() / (positions - 1)
    of_document = positions * ((by_document - mean) ** 2).sum() / (n - 1)
    parts = np.array([(of_position - rest) / n, (of_document - rest) / positions, rest])
    return parts / parts.sum(), parts.sum()


def planted(rng, *, documents=200, positions=64, width=24, position=1.0, content=1.0, rest=1.0):
    """Two smooth directions of position, unit-variance content and rest, on a large mean."""
    t = np.pi * (2 * np.arange(positions) + 1) / (2 * positions)
    table = np.zeros((positions, width))
    table[:, :2] = np.stack([np.cos(t), np.cos(3 * t)], axis=1) * np.sqrt(width)
    each = rng.normal(size=(documents, 1, width)), rng.normal(size=(documents, positions, width))
    return 50.0 + position * table + content * each[0] + rest * each[1]


def test_shares_are_those_of_the_analysis_of_variance():
    states = planted(np.random.default_rng(0), documents=11, positions=6, width=3)
    share, variance = plain_shares(states)
    found = measured(states)
    np.testing.assert_allclose(found.share, share, rtol=1e-9)
    assert found.variance == pytest.approx(variance, rel=1e-9)


def test_planted_parts_are_found():
    found = measured(planted(np.random.default_rng(1)))
    np.testing.assert_allclose(found.share, 1 / 3, atol=0.03)
    assert found.rank == 2
    assert found.low4 == pytest.approx(1.0, abs=0.01)
    assert found.share_se.max() < 0.03


def test_pure_content_holds_no_position():
    """With 32 documents a biased estimate would show 1/32 = .03 of position."""
    rng = np.random.default_rng(2)
    shares = []
    for _ in range(20):
        states = planted(rng, documents=32, positions=16, position=0.0, content=0.0)
        shares.append(measured(states).share[0])
    assert abs(np.mean(shares)) < 0.002
    assert min(shares) < 0 < max(shares)


def test_related_neighbours_do_not_pass_for_position():
    rng = np.random.default_rng(3)
    shares, ranks = [], []
    for _ in range(20):
        walks = rng.normal(size=(32, 24, 8)).cumsum(axis=1)
        found = measured(walks)
        shares.append(found.share[0])
        ranks.append(found.rank)
    assert abs(np.mean(shares)) < 0.01
    assert np.mean(ranks) < 0.5


def test_the_standard_error_is_the_spread_over_corpora():
    rng = np.random.default_rng(4)
    found = [measured(planted(rng, documents=40, positions=12, width=4)) for _ in range(60)]
    spread = np.std([f.share for f in found], axis=0, ddof=1)
    claimed = np.mean([f.share_se for f in found], axis=0)
    assert (claimed / spread).min() > 0.7
    assert (claimed / spread).max() < 1.4


def test_a_rough_table_is_not_smooth():
    rng = np.random.default_rng(5)
    table = rng.normal(size=(1, 64, 24))
    states = table + 0.5 * rng.normal(size=(60, 64, 24))
    found = measured(states)
    assert found.low4 == pytest.approx(4 / 63, abs=0.05)
    assert found.rank > 15


def test_a_single_position_that_stands_out_is_named():
    rng = np.random.default_rng(6)
    states = rng.normal(size=(30, 20, 8))
    states[:, 4] += 30.0
    found = measured(states, first=1)
    assert found.peak == 5
    assert found.peak_share > 0.9
    assert found.rank == 1


def test_sums_do_not_depend_on_the_batches():
    states = planted(np.random.default_rng(7), documents=23, positions=6, width=3)
    one, other = measured(states, batch=1), measured(states, batch=23)
    np.testing.assert_array_equal(one.share, other.share)
    np.testing.assert_array_equal(one.without, other.without)


def test_states_that_do_not_vary_have_no_shares():
    found = measured(np.full((5, 4, 3), 0.1))
    assert np.isnan(found.share).all()
    assert found.undefined == "the states do not vary"
    assert found.rank == 0


@pytest.mark.parametrize("shape", [(1, 4, 3), (4, 1, 3)])
def test_too_little_is_refused(shape):
    with pytest.raises(CorpusError, match="at least two"):
        measured(np.random.default_rng(0).normal(size=shape))


def test_infinite_states_are_refused():
    with pytest.raises(NonFiniteError):
        measured(np.full((3, 4, 2), np.inf))
