"""Counts, for every row of a similarity matrix, the pairs of earlier columns in rising order.

The obvious way compares every two columns for every row, which is n³ for a matrix. Sorting a
row by merging counts the same pairs on the way: n² log n, exact, ties apart.
"""

from typing import no_type_check

import numpy as np
from jaxtyping import Float, Int
from numba import int64, njit, prange, uint64

from posprobe.analysis.numba_threads import as_many_as_torch

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
    as_many_as_torch()
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
    as_many_as_torch()
    _count_batch(np.ascontiguousarray(matrices, dtype=np.float64), counts)
    return counts[0], counts[1]


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
    rising = _sort_fours(values, length, front)
    width = 4
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
def _sort_fours(values, length, out):
    """Sort every four values, and the rest at the end; count the rising pairs within each."""
    rising = 0
    whole = length - length % 4
    for start in range(0, whole, 4):
        a, b, c, d = values[start], values[start + 1], values[start + 2], values[start + 3]
        rising += (a < b) + (a < c) + (a < d) + (b < c) + (b < d) + (c < d)
        low, high = min(max(a, b), max(c, d)), max(min(a, b), min(c, d))
        out[start], out[start + 3] = min(min(a, b), min(c, d)), max(max(a, b), max(c, d))
        out[start + 1], out[start + 2] = min(low, high), max(low, high)
    for j in range(whole, length):
        value = values[j]
        i = j - 1
        for earlier in range(whole, j):
            rising += values[earlier] < value
        while i >= whole and out[i] > value:
            out[i + 1] = out[i]
            i -= 1
        out[i + 1] = value
    return rising


@njit(cache=True, nogil=True)
@no_type_check
def _merge(values, out, start, middle, end):
    """Merge two sorted runs from both ends at once; count the pairs that rise across them.

    Of equal values the right one ends up in front. So whenever a right value goes, the left
    values in front of it are exactly those below it.
    """
    # Without a sign, an index needs no look at whether it counts from the end.
    one = uint64(1)
    first = left = place = uint64(start)
    right = uint64(middle)
    last_left, last_right, last = right - one, uint64(end) - one, uint64(end) - one
    rising = uint64(0)
    # Neither end can run out of a run in as many steps as the shorter one has values.
    for _ in range(min(middle - start, end - middle)):
        one_left = uint64(values[left] < values[right])
        out[place] = min(values[left], values[right])
        rising += (left - first) * (one - one_left)
        left += one_left
        right += one - one_left
        place += one
        one_right = uint64(values[last_left] < values[last_right])
        out[last] = max(values[last_left], values[last_right])
        rising += (last_left + one - first) * one_right
        last_right -= one_right
        last_left -= one - one_right
        last -= one
    while left < last_left + one and right < last_right + one:
        one_left = uint64(values[left] < values[right])
        out[place] = min(values[left], values[right])
        rising += (left - first) * (one - one_left)
        left += one_left
        right += one - one_left
        place += one
    rising += (last_right + one - right) * (left - first)
    while left < last_left + one:
        out[place] = values[left]
        left += one
        place += one
    while right < last_right + one:
        out[place] = values[right]
        right += one
        place += one
    return int64(rising)


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
