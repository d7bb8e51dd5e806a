"""Independent pieces of work side by side, each on one thread."""

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor, as_completed
from threading import Event
from typing import TypeVar

Piece = TypeVar("Piece")
Found = TypeVar("Found")


def side_by_side(
    work: Callable[[Piece, Callable[[], None]], Found], pieces: Sequence[Piece]
) -> list[Found]:
    """Do as many pieces at once as torch has threads, and give each one of them.

    Small matrices leave threads that share them waiting for each other; a thread with matrices
    of its own waits for nobody. What a piece comes to does not depend on how many threads there
    are.

    Args:
        work: Does one piece. Now and then it calls the function that it is given, which raises
            `CancelledError` if another piece has failed or the user wants to stop.
        pieces: What it is called with, in turn.

    Returns:
        What came of each, in their order.
    """
    import torch  # Takes a second, and core is imported by what needs none of it.

    threads, over = torch.get_num_threads(), Event()

    def go_on() -> None:
        if over.is_set():
            raise CancelledError

    def alone(piece: Piece) -> Found:
        torch.set_num_threads(1)
        return work(piece, go_on)

    pool = ThreadPoolExecutor(min(threads, len(pieces)))
    try:
        futures = [pool.submit(alone, piece) for piece in pieces]
        for future in as_completed(futures):
            future.result()  # Raises as soon as one has failed, not when its turn comes.
        return [future.result() for future in futures]
    finally:
        over.set()
        pool.shutdown(cancel_futures=True)
        # Each thread has a number of its own, but threads still to come take the last one set.
        torch.set_num_threads(threads)
