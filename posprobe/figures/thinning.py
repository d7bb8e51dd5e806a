"""Showing fewer points than there are, and saying so."""

import numpy as np
from jaxtyping import Float

LIMIT = 1024
"""Most positions a figure shows along one axis."""


def stride_for(length: int, *, limit: int = LIMIT) -> int:
    """Return the smallest step that leaves at most `limit` of `length` points.

    >>> stride_for(1024), stride_for(1025), stride_for(4096, limit=512)
    (1, 2, 8)
    """
    return max(1, -(-length // limit))


def thinning_note(stride: int, what: str = "position") -> str:
    """Say what a stride left out, or nothing.

    >>> thinning_note(1)
    ''
    >>> thinning_note(2)
    ' Drawn: every 2nd position; the data files have all of them.'
    """
    if stride == 1:
        return ""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(stride % 10 if stride % 100 // 10 != 1 else 0, "th")
    return f" Drawn: every {stride}{ending} {what}; the data files have all of them."


def block_means(
    matrix: Float[np.ndarray, "pos pos"], *, side: int
) -> tuple[Float[np.ndarray, "block block"], int]:
    """Shrink a square matrix to at most `side` rows by means over square blocks.

    Returns:
        The means, and how many rows went into one. The last block may be smaller.

    >>> block_means(np.arange(16.0).reshape(4, 4), side=2)
    (array([[ 2.5,  4.5],
           [10.5, 12.5]]), 2)
    """
    step = stride_for(len(matrix), limit=side)
    starts = np.arange(0, len(matrix), step)
    sums = np.add.reduceat(np.add.reduceat(matrix, starts, axis=0), starts, axis=1)
    sizes = np.diff(np.append(starts, len(matrix)))
    return sums / np.outer(sizes, sizes), step
