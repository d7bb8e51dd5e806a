import numpy as np
import pytest

from posprobe.training.hashing import keyed_uniform

KEYS = np.arange(200_000)


def test_numbers_are_uniform_and_neighbours_unrelated():
    drawn = keyed_uniform(KEYS, seed=0)
    counts = np.histogram(drawn, bins=20, range=(0, 1))[0]
    assert counts.sum() == len(KEYS)
    assert np.abs(counts - len(KEYS) / 20).max() < 5 * np.sqrt(len(KEYS) / 20)
    assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 0.01


@pytest.mark.parametrize("other", [{"seed": 1}, {"seed": 0, "stream": 1}])
def test_seeds_and_streams_are_unrelated(other):
    one, two = keyed_uniform(KEYS, seed=0), keyed_uniform(KEYS, **other)
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.01


def test_keys_that_differ_in_high_bits_only_are_unrelated():
    one, two = keyed_uniform(KEYS, seed=0), keyed_uniform(KEYS + (1 << 40), seed=0)
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.01
