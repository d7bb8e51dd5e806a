"""Tables without learned structure, to say what a number is worth."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

import numpy as np
from jaxtyping import Float
from scipy.linalg import eigh

from posprobe.analysis.spectrum import low_share

Table = Literal["gaussian", "random walk"]
_STREAMS: dict[str, int] = {"gaussian": 0, "random walk": 1, "shuffled": 2}


@lru_cache(maxsize=64)
def random_table_scores(
    kind: Table, n_positions: int, n_dimensions: int, *, seed: int, draws: int
) -> Float[np.ndarray, "sample 3"]:
    """Score random tables of a given shape.

    `gaussian` tables have independent entries. `random walk` tables add a Gaussian step at
    each position: smooth, but not learned, so the null that a smooth table must beat.

    Args:
        kind: Which table.
        n_positions: Rows, at least 2.
        n_dimensions: Columns, at least 1.
        seed: Seed of the draws.
        draws: How many tables.

    Returns:
        `top2`, `low4_top2` and `low4_all` of each table.

    >>> walks = random_table_scores("random walk", 64, 8, seed=0, draws=5)
    >>> noise = random_table_scores("gaussian", 64, 8, seed=0, draws=5)
    >>> bool(walks.min() > noise.max())
    True
    """
    generator = np.random.default_rng([seed, _STREAMS[kind]])
    found = np.empty((draws, 3))
    for draw in range(draws):
        table = generator.standard_normal((n_positions, n_dimensions))
        if kind == "random walk":
            table = np.cumsum(table, axis=0)
        found[draw] = _table_scores(table - table.mean(axis=0))
    found.flags.writeable = False  # the cache hands out one array to everybody
    return found


def shuffled_low4(
    centred: Float[np.ndarray, "pos d_model"],
    scores: Float[np.ndarray, "pos component"],
    *,
    seed: int,
    draws: int,
) -> Float[np.ndarray, "sample 2"]:
    """Score the same table with its rows in random order: same components, no smoothness.

    Args:
        centred: The table, centred over positions.
        scores: Its coordinates on the first two components.
        seed: Seed of the orders.
        draws: How many orders.

    Returns:
        `low4_top2` and `low4_all` of each order; `top2` does not change.
    """
    orders = _orders(len(centred), seed, draws)
    return np.array([[low_share(scores[order]), low_share(centred[order])] for order in orders])


def _orders(n_positions: int, seed: int, draws: int) -> Iterator[np.ndarray]:
    generator = np.random.default_rng([seed, _STREAMS["shuffled"]])
    for _ in range(draws):
        yield generator.permutation(n_positions)


def _table_scores(centred: Float[np.ndarray, "pos d_model"]) -> tuple[float, float, float]:
    """Score a centred table without its full SVD: only two components are wanted."""
    variances, scores = _first_two(centred)
    return float(variances.sum() / (centred**2).sum()), low_share(scores), low_share(centred)


def _first_two(
    centred: Float[np.ndarray, "pos d_model"],
) -> tuple[Float[np.ndarray, " component"], Float[np.ndarray, "pos component"]]:
    tall = centred.shape[0] >= centred.shape[1]
    gram = centred.T @ centred if tall else centred @ centred.T
    size = len(gram)
    variances, vectors = eigh(gram, subset_by_index=(max(0, size - 2), size - 1))
    variances = np.clip(variances, 0.0, None)
    return variances, centred @ vectors if tall else vectors * np.sqrt(variances)
