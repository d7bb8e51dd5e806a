import os
import subprocess
import sys

import numpy as np
import pytest

from posprobe.analysis.counting import count_matrices, count_rows


def three_loops(matrix):
    """Count as the definition says."""
    rising, tied = [], []
    for k in range(len(matrix)):
        pairs = [(matrix[k, i], matrix[k, j]) for j in range(k) for i in range(j)]
        rising.append(sum(far < near for far, near in pairs))
        tied.append(sum(far == near for far, near in pairs))
    return rising, tied


def matrix_of(kind, size):
    rng = np.random.default_rng(size)
    if kind == "distinct":
        return rng.standard_normal((size, size))
    if kind == "few values":
        return rng.integers(0, 4, (size, size)).astype(float)
    if kind == "mostly tied":
        return (rng.random((size, size)) < 0.05).astype(float)
    order = np.arange(size, dtype=float)
    return np.tile({"rising": order, "falling": -order, "constant": 0 * order}[kind], (size, 1))


KINDS = ["distinct", "few values", "mostly tied", "rising", "falling", "constant"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 2, 3, 31, 32, 33, 34, 64, 66, 97, 131])
def test_counts_as_three_loops_do(kind, size):
    matrix = matrix_of(kind, size)
    rising, tied = count_rows(matrix, first=0)
    assert (rising.tolist(), tied.tolist()) == three_loops(matrix)


@pytest.mark.parametrize("first", [0, 1, 30, 75])
@pytest.mark.parametrize("rows", [1, 2, 7, 25])
def test_blocks_of_rows_count_as_the_whole(first, rows):
    matrix = matrix_of("few values", 100)
    whole = np.array(count_rows(matrix, first=0))
    # A block needs no columns beyond those its last row reads.
    block = matrix[first : first + rows, : first + rows - 1]
    np.testing.assert_array_equal(count_rows(block, first), whole[:, first : first + rows])


@pytest.mark.parametrize("size", [3, 22, 50])
def test_many_matrices_count_as_each_alone(size):
    matrices = np.stack([matrix_of(kind, size) for kind in KINDS])
    rising, tied = count_matrices(matrices)
    for sample, matrix in enumerate(matrices):
        alone = count_rows(matrix, first=0)
        np.testing.assert_array_equal((rising[sample], tied[sample]), alone)


def test_inputs_are_left_alone():
    matrix = matrix_of("distinct", 80)
    before = matrix.copy()
    count_rows(matrix, first=0)
    count_matrices(matrix[None])
    np.testing.assert_array_equal(matrix, before)


def test_other_layouts_and_precisions_count_the_same():
    matrix = matrix_of("few values", 40)
    expected = count_rows(matrix, first=0)
    for same in (np.asfortranarray(matrix), matrix.astype(np.float32), matrix.T.copy().T):
        np.testing.assert_array_equal(count_rows(same, first=0), expected)


def test_neighbouring_floats_are_told_apart():
    near = np.nextafter(1.0, 2.0)
    assert count_rows(np.array([[1.0, near, 1.0]]), first=3)[0].tolist() == [1]
    assert count_rows(np.array([[0.0, -0.0, 0.0]]), first=3)[1].tolist() == [3]


THREADS = """
import numpy as np, numba, torch
from posprobe.analysis.counting import count_matrices
torch.set_num_threads(1)
count_matrices(np.ones((4, 3, 3)))
print(torch.get_num_threads(), numba.get_num_threads())
"""


def test_counting_uses_the_threads_that_torch_has_and_leaves_them_alone():
    # In a process of its own, since the threads start with the first count.
    environment = os.environ | {"NUMBA_NUM_THREADS": "2"}
    words = [sys.executable, "-c", THREADS]
    run = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["1", "1"]
