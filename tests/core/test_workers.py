from concurrent.futures import CancelledError, ThreadPoolExecutor
from threading import Barrier, Event

import pytest
import torch

from posprobe.core.workers import side_by_side


def threads_of_a_new_thread():
    """The main thread keeps its own number; those to come show what was left behind."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(torch.get_num_threads).result()


@pytest.fixture(autouse=True)
def three_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


def test_what_comes_of_each_keeps_their_order():
    first_waits = Event()

    def work(piece, _):
        if piece == 0:
            assert first_waits.wait(10)
        elif piece == 1:
            first_waits.set()
        return piece * 10

    assert side_by_side(work, range(5)) == [0, 10, 20, 30, 40]
    assert side_by_side(work, [1]) == [10]


def test_pieces_are_done_at_once_on_a_thread_each():
    together = Barrier(3, timeout=10)

    def work(*_):
        together.wait()
        return torch.get_num_threads()

    assert side_by_side(work, range(3)) == [1, 1, 1]
    assert threads_of_a_new_thread() == torch.get_num_threads() == 3


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_when_one_fails_the_others_stop(error):
    both, done = Barrier(2, timeout=10), []

    def work(piece, go_on):
        if piece == 1:
            both.wait()
            raise error("so it is")
        if piece == 0:
            both.wait()
            try:
                for _ in range(10_000):
                    go_on()
                    Event().wait(0.001)
            except CancelledError:
                done.append("stopped")
                raise
        done.append(piece)

    with pytest.raises(error, match="so it is"):
        side_by_side(work, [0, 1])
    assert done == ["stopped"]
    assert threads_of_a_new_thread() == torch.get_num_threads() == 3
