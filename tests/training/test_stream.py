import numpy as np
import pytest

from posprobe.training.stream import Stream


def flat(passes):
    return [(int(r), int(e)) for rows, epochs in passes for r, e in zip(rows, epochs, strict=True)]


@pytest.mark.parametrize("step", [0, 3, 11])
def test_processes_and_passes_see_together_what_one_large_batch_sees(step):
    together = flat(Stream(samples=50, batch_size=12, seed=1).step(step))
    shared = [
        flat(
            Stream(
                samples=50, batch_size=2, accumulation=2, processes=3, process=rank, seed=1
            ).step(step)
        )
        for rank in range(3)
    ]
    assert sorted(pair for part in shared for pair in part) == sorted(together)


def test_each_epoch_holds_each_sample_once_in_an_order_of_its_own():
    stream = Stream(samples=10, batch_size=4, seed=2)
    seen = [pair for step in range(5) for pair in flat(stream.step(step))]
    orders = [[row for row, epoch in seen if epoch == which] for which in (0, 1)]
    assert all(sorted(order) == list(range(10)) for order in orders)
    assert orders[0] != orders[1]


def test_the_order_depends_on_the_seed_alone():
    a, b, c = (Stream(samples=10, batch_size=10, seed=seed).step(0) for seed in (1, 1, 2))
    assert flat(a) == flat(b) != flat(c)


def test_a_batch_larger_than_the_corpus_takes_from_the_next_epochs():
    ((rows, epochs),) = Stream(samples=3, batch_size=8, seed=0).step(0)
    assert np.bincount(rows).tolist() in ([3, 3, 2], [3, 2, 3], [2, 3, 3])
    assert epochs.tolist() == [0, 0, 0, 1, 1, 1, 2, 2]
