"""The adjacency score of one sequence."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from posprobe.analysis.adjacency import Feature, Ties
from posprobe.analysis.counting import count_rows
from posprobe.analysis.finite import require_finite
from posprobe.core.errors import UserError

DECIMALS = 12
"""Similarities are rounded to this, so that equal tokens tie whatever the order of sums."""
TOO_SHORT = "fewer than 3 tokens, so that none has two earlier ones to compare"
_VALUES = 1 << 24
"""Similarities held at once, for sequences so long that a block of rows would be too much."""


@dataclass(frozen=True, kw_only=True)
class SequenceScore:
    """The adjacency score of one sequence, in both averages.

    Attributes:
        rows: Mean over queries of the share of pairs in order, 0 to 1.
        triples: Share of all (query, pair) triples in order, 0 to 1.
        left_out: Zero vectors, which have no cosine.
        undefined: Why the scores are NaN; else None.
    """

    rows: float
    triples: float
    left_out: int = 0
    undefined: str | None = None


def adjacency_score(
    states: Float[np.ndarray, "pos d_model"],
    *,
    feature: Feature = "cosine",
    ties: Ties = "strict",
    block: int = 1024,
) -> SequenceScore:
    """Say how often the nearer of two earlier tokens is the more similar one.

    Query k is compared with every two earlier tokens i < j < k; the score is the share of
    pairs where j is the more similar. 1: similarity falls with distance without exception.
    0.5: it does not depend on distance. 0: it rises. From B (arXiv 2501.00073), whose text
    averages over queries (`rows`) and whose code pools all triples (`triples`).

    Args:
        states: One row per token, in order, finite. A row of zeros has no cosine: it is left
            out and counted.
        feature: `cosine` similarity; or `norm`, which puts −‖x‖ of the earlier token in its
            place, the hypothesis that length carries position (Chi et al. 2023).
        ties: Equal similarities are failures (`strict`) or half successes (`half`).
        block: Queries worked on at once, at least 1. Changes memory, not the score.

    Raises:
        NonFiniteError: If a state has inf or NaN.
        UserError: If `feature`, `ties` or `block` is none of those.

    >>> angle = 0.1 * np.arange(6)[:, None]
    >>> adjacency_score(np.hstack([np.cos(angle), np.sin(angle)]))
    SequenceScore(rows=1.0, triples=1.0, left_out=0, undefined=None)
    >>> adjacency_score(np.eye(6)).rows, adjacency_score(np.eye(6), ties="half").rows
    (0.0, 0.5)
    """
    require_options(feature, ties)
    if block < 1:
        raise UserError(f"block={block}: want at least 1 query at a time")
    require_finite(states, "states")
    if feature == "norm":
        rising, tied = _count_values(negative_norms(states), block)
        return _score(rising, tied, ties, left_out=0)
    unit, kept = unit_rows(states)
    rising, tied = _count_cosines(unit[kept], block)
    return _score(rising, tied, ties, left_out=int((~kept).sum()))


def adjacency_from_similarity(
    matrix: Float[np.ndarray, "query key"], *, ties: Ties = "strict"
) -> SequenceScore:
    """Score a similarity matrix as it is, without rounding.

    Args:
        matrix: Similarity of each query with each key, finite; only keys before the query
            are read.
        ties: As in `adjacency_score`.

    Raises:
        NonFiniteError: If the matrix has inf or NaN.
        UserError: If `ties` is unknown.

    >>> adjacency_from_similarity(np.array([[0.0] * 3, [0.0] * 3, [0.1, 0.9, 0.0]])).rows
    1.0
    """
    require_options("cosine", ties)
    require_finite(matrix, "similarity matrix")
    rising, tied = count_rows(matrix, first=0)
    return _score(rising, tied, ties, left_out=0)


def require_options(feature: str, ties: str) -> None:
    """Raise unless both options are known.

    Raises:
        UserError: Names the option and what it may be.
    """
    if feature not in ("cosine", "norm"):
        raise UserError(f"feature={feature!r}: want 'cosine' or 'norm'")
    if ties not in ("strict", "half"):
        raise UserError(f"ties={ties!r}: want 'strict' or 'half'")


def unit_rows(
    states: Float[np.ndarray, "*sample d_model"],
) -> tuple[Float[np.ndarray, "*sample d_model"], Bool[np.ndarray, "*sample"]]:
    """Return the rows scaled to length 1 in float64, and which of them have a direction."""
    states = states.astype(np.float64)
    norms = np.linalg.norm(states, axis=-1, keepdims=True)
    return states / np.where(norms > 0, norms, 1.0), norms[..., 0] > 0


def negative_norms(
    states: Float[np.ndarray, "*sample pos d_model"],
) -> Float[np.ndarray, "*sample pos"]:
    """Return −‖x‖ of each row, rounded relative to the longest row of its sequence."""
    norms = np.linalg.norm(states.astype(np.float64), axis=-1)
    longest = norms.max(axis=-1, keepdims=True, initial=0.0)
    return -np.round(norms / np.where(longest > 0, longest, 1.0), DECIMALS)


def averages(
    rising: Int[np.ndarray, "sample query"], tied: Int[np.ndarray, "sample query"], ties: Ties
) -> tuple[Float[np.ndarray, " sample"], Float[np.ndarray, " sample"]]:
    """Average the counts of all rows of matrices, over rows and over triples.

    Args:
        rising: Pairs in rising order per row, from row 0.
        tied: Tied pairs per row.
        ties: Whether a tie counts 0 or ½.
    """
    query = np.arange(2, rising.shape[-1])
    pairs = query * (query - 1) / 2
    success = (rising + (0.5 if ties == "half" else 0.0) * tied)[:, 2:]
    return (success / pairs).mean(axis=1), success.sum(axis=1) / pairs.sum()


def _score(
    rising: Int[np.ndarray, " query"],
    tied: Int[np.ndarray, " query"],
    ties: Ties,
    *,
    left_out: int,
) -> SequenceScore:
    if len(rising) < 3:
        nan = float("nan")
        return SequenceScore(rows=nan, triples=nan, left_out=left_out, undefined=TOO_SHORT)
    rows, triples = averages(rising[None], tied[None], ties)
    return SequenceScore(rows=float(rows[0]), triples=float(triples[0]), left_out=left_out)


def _count_cosines(
    unit: Float[np.ndarray, "pos d_model"], block: int
) -> tuple[Int[np.ndarray, " pos"], Int[np.ndarray, " pos"]]:
    counts = np.zeros((2, len(unit)), dtype=np.int64)
    for rows in _row_blocks(len(unit), block):
        cosines = unit[rows] @ unit[: rows.stop].T
        counts[:, rows] = count_rows(np.round(cosines, DECIMALS, out=cosines), rows.start)
    return counts[0], counts[1]


def _count_values(
    values: Float[np.ndarray, " pos"], block: int
) -> tuple[Int[np.ndarray, " pos"], Int[np.ndarray, " pos"]]:
    """Count as if every row of the matrix were the same values."""
    counts = np.zeros((2, len(values)), dtype=np.int64)
    for rows in _row_blocks(len(values), block):
        same = np.broadcast_to(values[: rows.stop], (rows.stop - rows.start, rows.stop))
        counts[:, rows] = count_rows(same, rows.start)
    return counts[0], counts[1]


def _row_blocks(length: int, block: int) -> list[slice]:
    step = max(1, min(block, _VALUES // max(1, length)))
    return [slice(first, min(first + step, length)) for first in range(0, length, step)]
