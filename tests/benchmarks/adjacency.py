"""How fast the exact adjacency score is: `python -m tests.benchmarks.adjacency`."""

from collections.abc import Iterator

import numpy as np
from scipy.stats import kendalltau

from posprobe.analysis.adjacency_batch import adjacency_scores
from posprobe.analysis.adjacency_score import adjacency_from_similarity, adjacency_score, unit_rows
from posprobe.analysis.counting import count_matrices, count_rows
from tests.benchmarks.lines import Line, at_least, at_most, at_most_times, run, times_better
from tests.benchmarks.measuring import Run, seconds, spent

WIDTH = 768


def lines() -> Iterator[Line]:
    """Measure."""
    yield from _beside_scipy(4096)
    yield from _beside_numpy(1024)
    yield from _beside_the_product(4096)
    yield from _in_batches(22)
    yield from _in_memory()


def _beside_scipy(n: int) -> Iterator[Line]:
    matrix = _similarities(n)
    ours, scipys = seconds(
        lambda: adjacency_from_similarity(matrix), lambda: _kendall(matrix), repeats=3
    )
    # Without ties, Kendall's tau is the rising pairs less the falling ones, as a share.
    assert np.isclose(adjacency_from_similarity(matrix).rows, _kendall(matrix), atol=1e-12)
    what = f"score of a {n:,} × {n:,} matrix, beside SciPy's kendalltau by row"
    yield times_better(what, ours, scipys, 10)


def _beside_numpy(n: int) -> Iterator[Line]:
    for digits, kind in ((12, ""), (1, ", many ties")):
        matrix = np.round(_similarities(n) * 3, digits)
        ours, plain = seconds(
            lambda m=matrix: count_rows(m, 0), lambda m=matrix: _plain(m, np.less), repeats=3
        )
        # Ours counts the ties as well, in the same time.
        for found, compare in zip(count_rows(matrix, 0), (np.less, np.equal), strict=True):
            assert np.array_equal(found, _plain(matrix, compare))
        what = f"counts of a {n:,} × {n:,} matrix{kind}, beside NumPy's < by row"
        yield times_better(what, ours, plain, 20)


def _beside_the_product(n: int) -> Iterator[Line]:
    states = _states(n)
    unit = unit_rows(states)[0]
    ours, product = seconds(lambda: adjacency_score(states), lambda: unit @ unit.T)
    what = f"score of {n:,} states, beside the product of their unit vectors"
    yield at_most_times(what, ours, product, 3)


def _in_batches(n: int) -> Iterator[Line]:
    rng = np.random.default_rng(0)
    matrices = rng.normal(size=(100_000, n, n))
    (taken,) = seconds(lambda: count_matrices(matrices))
    yield at_least(f"matrices of n = {n}, in a batch", len(matrices) / taken, 100_000, "/s")
    states = rng.normal(size=(20_000, n, 64))
    (taken,) = seconds(lambda: adjacency_scores(states))
    what = f"sequences of {n} states, 64 wide, cosines included"
    yield Line(what=what, ours=len(states) / taken, unit="/s")


def _in_memory() -> Iterator[Line]:
    for n in (16_384, 32_768):
        found = spent(_long, n)
        what = f"memory added by a score of {n:,} states, 128 wide, beside n × n"
        yield at_most_times(what, found.added / 1e6, 8 * n * n / 1e6, 0.25, "MB")
    yield at_most(
        f"memory of all, at {n:,} states ({found.seconds:.0f} s)", found.peak / 1e9, 24, "GB"
    )


def _long(n: int) -> Run:
    adjacency_score(_states(64))
    states = _states(n, 128)
    return lambda: adjacency_score(states)


def _states(n: int, width: int = WIDTH) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, width))


def _similarities(n: int) -> np.ndarray:
    unit = unit_rows(_states(n))[0]
    return unit @ unit.T


def _kendall(matrix: np.ndarray) -> float:
    n = len(matrix)
    taus = [kendalltau(np.arange(k), matrix[k, :k]).statistic for k in range(2, n)]
    return float(np.mean([(1 + tau) / 2 for tau in taus]))


def _plain(matrix: np.ndarray, compare: np.ufunc) -> np.ndarray:
    n = len(matrix)
    counts = np.zeros(n, int)
    earlier = np.triu(np.ones((n, n), bool), 1)
    for k in range(2, n):
        row = matrix[k, :k]
        counts[k] = np.count_nonzero(compare(row[:, None], row) & earlier[:k, :k])
    return counts


if __name__ == "__main__":
    run("adjacency", lines())
