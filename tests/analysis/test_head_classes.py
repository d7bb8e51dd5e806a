import numpy as np
import pytest

from posprobe.analysis.head_classes import classify, count_classes, histogram, two_groups
from posprobe.core.errors import UserError


def test_the_largest_share_names_the_head():
    shares = [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [-0.3, 0.0, 1.3], [0.59, 0.3, 0.11], [np.nan] * 3]
    classes = classify(np.array([shares]), ("ap", "sem", "rp"))
    assert classes == (("structure", "semantic", "relative", "mixed", "undefined"),)
    assert count_classes(classes) == dict.fromkeys(classes[0], 1)


def test_the_threshold_is_an_argument():
    shares = np.array([[[0.45, 0.35, 0.2]]])
    assert classify(shares, ("ap", "sem", "rp"), threshold=0.4) == (("structure",),)
    assert classify(shares, ("ap", "sem", "rp"), threshold=0.5) == (("mixed",),)
    with pytest.raises(UserError, match=r"threshold=-0\.1"):
        classify(shares, ("ap", "sem", "rp"), threshold=-0.1)


def test_terms_come_in_any_order():
    assert classify(np.array([[[0.1, 0.9]]]), ("rp", "sem")) == (("semantic",),)


def test_groups_are_those_of_a_search_over_all_cuts(rng):
    values = np.concatenate([rng.normal(0.1, 0.1, 9), rng.normal(0.8, 0.2, 5), [0.3] * 4])

    def between(cut):
        sides = values[values <= cut], values[values > cut]
        return sum(len(side) * (side.mean() - values.mean()) ** 2 for side in sides)

    best = max(between(cut) for cut in np.sort(values)[:-1])
    share, cut = two_groups(values)
    assert share == pytest.approx(best / ((values - values.mean()) ** 2).sum())
    assert between(cut) == pytest.approx(best)


def test_evenly_spread_numbers_give_three_quarters():
    share, cut = two_groups(np.linspace(0, 1, 2000))
    assert share == pytest.approx(0.75, abs=1e-3)
    assert cut == pytest.approx(0.5, abs=1e-3)


def test_two_points_give_one():
    assert two_groups(np.array([0.9, 0.1, 0.1])) == (pytest.approx(1.0), pytest.approx(0.5))
    assert two_groups(np.array([0.2, 0.4])) == (1.0, pytest.approx(0.3))


@pytest.mark.parametrize("values", [[], [0.3], [0.3, 0.3, 0.3]])
def test_no_groups(values):
    assert np.isnan(two_groups(np.array(values, dtype=float))).all()


def test_histogram_keeps_every_head():
    counts, edges = histogram(np.array([-3.0, -0.2, 0.05, 0.5, 1.19, 1.2, 9.0]))
    assert counts.sum() == 7
    assert (counts[0], counts[-1]) == (2, 3)
    np.testing.assert_allclose(edges[[0, -1]], [-0.2, 1.2])
