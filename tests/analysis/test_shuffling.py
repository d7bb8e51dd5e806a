import numpy as np

from posprobe.analysis.shuffling import shuffled_within


def test_each_document_keeps_its_rows(rng):
    documents = rng.integers(0, 9, 200)
    targets = np.stack([np.arange(200.0), -np.arange(200.0), documents], axis=1)
    before = targets.copy()
    shuffled = shuffled_within(documents, targets, rng=rng)
    np.testing.assert_array_equal(targets, before)
    # The columns of a token stay together, and the row stays in its document.
    np.testing.assert_array_equal(shuffled[:, 1], -shuffled[:, 0])
    np.testing.assert_array_equal(shuffled[:, 2], documents)
    np.testing.assert_array_equal(np.sort(shuffled[:, 0]), np.arange(200))
    assert (shuffled[:, 0] != targets[:, 0]).mean() > 0.8


def test_every_order_is_as_likely(rng):
    documents, targets = np.zeros(3, dtype=int), np.arange(3.0)[:, None]
    orders = [tuple(shuffled_within(documents, targets, rng=rng)[:, 0]) for _ in range(1200)]
    _, counts = np.unique(orders, axis=0, return_counts=True)
    assert len(counts) == 6
    assert abs(counts - 200).max() < 60


def test_same_seed_same_order():
    documents, targets = np.repeat([0, 1], 20), np.arange(40.0)[:, None]
    first, again, other = (
        shuffled_within(documents, targets, rng=np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_no_tokens(rng):
    empty = shuffled_within(np.zeros(0, dtype=int), np.zeros((0, 2)), rng=rng)
    assert empty.shape == (0, 2)
