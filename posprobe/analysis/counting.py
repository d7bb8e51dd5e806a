"""Counts, for every row of a similarity matrix, the pairs of earlier columns in rising order.

The obvious way compares every two columns for every row, which is n³ for a matrix. Sorting a
row by merging counts the same pairs on the way: n² log n, exact, ties apart.
"""

from typing import no_type_check

import numba
import numpy as np
import torch
from jaxtyping import Float, Int
from numba import njit, prange
from numba.core import config

_SHORT = 32
"""Below this many values, comparing all pairs is faster than sorting."""


def count_rows(
    block: Float[np.ndarray, "query key"], first: int
) -> tuple[Int[np.ndarray, " query"], Int[np.ndarray, " query"]]:
    """Count rising and tied pairs in consecutive rows of a similarity matrix.

    Args:
        block: Rows `first`, `first + 1`, … of the matrix, finite. Row k reads its first k
            columns, so that columns from `first + len(block) - 1` on may be missing.
        first: Index of the first row.

    Returns:
        For each row k, how many pairs i < j < k have block[k, i] < block[k, j], and how many
        have equal values.

    >>> rising, tied = count_rows(np.array([[0.1, 0.2, 0.2, 1.0]]), first=3)
    >>> rising.tolist(), tied.tolist()
    ([2], [1])
    """
    assert first + len(block) - 1 <= block.shape[1], (first, block.shape)
    counts = np.zeros((2, len(block)), dtype=np.int64)
    _as_many_threads_as_torch()
    _count_block(np.ascontiguousarray(block, dtype=np.float64), first, counts)
    return counts[0], counts[1]


def count_matrices(
    matrices: Float[np.ndarray, "sample query key"],
) -> tuple[Int[np.ndarray, "sample query"], Int[np.ndarray, "sample query"]]:
    """Count as `count_rows` does, for all rows of many small matrices at once.

    >>> nearer = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]])
    >>> rising, tied = count_matrices(nearer[None])
    >>> rising.tolist(), tied.tolist()
    ([[0, 0, 1]], [[0, 0, 0]])
    """
    counts = np.zeros((2, *matrices.shape[:2]), dtype=np.int64)
    _as_many_threads_as_torch()
    _count_batch(np.ascontiguousarray(matrices, dtype=np.float64), counts)
    return counts[0], counts[1]


def _as_many_threads_as_torch() -> None:
    wanted = torch.get_num_threads()
    most: int = config.NUMBA_NUM_THREADS  # pyright: ignore[reportAttributeAccessIssue]
    numba.set_num_threads(min(wanted, most))
    # Numba's threads are OpenMP's, and when they start they set how many torch has.
    torch.set_num_threads(wanted)


# `no_type_check` keeps the shape checker of the tests out of what the compiler reads.


@njit(cache=True, parallel=True, nogil=True)
@no_type_check
def _count_block(block, first, counts):
    rows = len(block)
    # A long and a short row make a pair, so that threads get equal work.
    for low in prange((rows + 1) // 2):
        high = rows - 1 - low
        front = np.empty(first + high)
        back = np.empty(first + high)
        _count_row(block[high], first + high, front, back, counts[:, high])
        if low < high:
            _count_row(block[low], first + low, front, back, counts[:, low])


@njit(cache=True, parallel=True, nogil=True)
@no_type_check
def _count_batch(matrices, counts):
    samples, size, _ = matrices.shape
    for sample in prange(samples):
        front = np.empty(size)
        back = np.empty(size)
        for row in range(2, size):
            _count_row(matrices[sample, row], row, front, back, counts[:, sample, row])


@njit(cache=True, nogil=True)
@no_type_check
def _count_row(values, length, front, back, counts):
    if length <= _SHORT:
        _count_short(values, length, counts)
        return
    for i in range(length):
        front[i] = values[i]
    rising = _sort_runs(front, length)
    width = _SHORT
    while width < length:
        for start in range(0, length, 2 * width):
            middle = min(start + width, length)
            rising += _merge(front, back, start, middle, min(start + 2 * width, length))
        front, back = back, front
        width *= 2
    counts[0] = rising
    counts[1] = _tied(front, length)


@njit(cache=True, nogil=True)
@no_type_check
def _count_short(values, length, counts):
    rising = 0
    tied = 0
    for j in range(1, length):
        value = values[j]
        for i in range(j):
            rising += values[i] < value
            tied += values[i] == value
    counts[0] = rising
    counts[1] = tied


@njit(cache=True, nogil=True)
@no_type_check
def _sort_runs(values, length):
    """Sort runs of `_SHORT` values in place; count the rising pairs within each."""
    rising = 0
    for start in range(0, length, _SHORT):
        for j in range(start + 1, min(start + _SHORT, length)):
            value = values[j]
            i = j - 1
            while i >= start and values[i] > value:
                values[i + 1] = values[i]
                i -= 1
            values[i + 1] = value
            while i >= start and values[i] == value:
                i -= 1
            rising += i + 1 - start
    return rising


@njit(cache=True, nogil=True)
@no_type_check
def _merge(values, out, start, middle, end):
    """Merge two sorted runs; count the pairs whose left value is the smaller one."""
    rising = 0
    left = place = start
    right = middle
    while left < middle and right < end:
        # The left value goes first only if it is smaller. So when a right value goes, the
        # left values gone before it are exactly those below it; equal ones wait.
        is_left = values[left] < values[right]
        out[place] = values[left] if is_left else values[right]
        rising += 0 if is_left else left - start
        left += is_left
        right += not is_left
        place += 1
    rising += (end - right) * (middle - start)
    while left < middle:
        out[place] = values[left]
        left += 1
        place += 1
    while right < end:
        out[place] = values[right]
        right += 1
        place += 1
    return rising


@njit(cache=True, nogil=True)
@no_type_check
def _tied(ordered, length):
    """Count the pairs of equal values in sorted order."""
    tied = 0
    run = 1
    for i in range(1, length):
        if ordered[i] == ordered[i - 1]:
            tied += run
            run += 1
        else:
            run = 1
    return tied
