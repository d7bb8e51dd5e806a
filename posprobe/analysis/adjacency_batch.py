"""The adjacency scores of many sequences of one length."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from posprobe.analysis.adjacency import Feature, Ties
from posprobe.analysis.adjacency_score import (
    DECIMALS,
    adjacency_score,
    averages,
    negative_norms,
    require_options,
    unit_rows,
)
from posprobe.analysis.counting import count_matrices
from posprobe.analysis.finite import require_finite

_SHORT = 256
"""Longer sequences keep the processor busy one at a time."""
_VALUES = 1 << 22
"""Similarities held at once."""


@dataclass(frozen=True, kw_only=True)
class BatchScores:
    """Adjacency scores of several sequences, one entry each.

    Attributes:
        rows: As in `SequenceScore`; NaN for a sequence without a score.
        triples: As in `SequenceScore`.
        left_out: Zero vectors left out.
    """

    rows: Float[np.ndarray, " sample"]
    triples: Float[np.ndarray, " sample"]
    left_out: Int[np.ndarray, " sample"]


def adjacency_scores(
    states: Float[np.ndarray, "sample pos d_model"],
    *,
    feature: Feature = "cosine",
    ties: Ties = "strict",
) -> BatchScores:
    """Score many sequences at once: `adjacency_score` for each, but fast for short ones.

    Args:
        states: One matrix per sequence, finite.
        feature: As in `adjacency_score`.
        ties: As in `adjacency_score`.

    Raises:
        NonFiniteError: If a state has inf or NaN.
        UserError: If an option is unknown.

    >>> adjacency_scores(np.stack([np.eye(4), np.ones((4, 4))]), ties="half").rows.tolist()
    [0.5, 0.5]
    """
    require_options(feature, ties)
    require_finite(states, "states")
    samples, length, _ = states.shape
    rows, triples = np.empty(samples), np.empty(samples)
    left_out = np.zeros(samples, dtype=np.int64)
    whole = _without_gaps(states, feature)
    step = max(1, _VALUES // length**2) if length else 1
    for part in (whole[start : start + step] for start in range(0, len(whole), step)):
        rising, tied = count_matrices(_similarities(states[part], feature))
        rows[part], triples[part] = averages(rising, tied, ties)
    for sample in np.setdiff1d(np.arange(samples), whole):
        score = adjacency_score(states[sample], feature=feature, ties=ties)
        rows[sample], triples[sample] = score.rows, score.triples
        left_out[sample] = score.left_out
    return BatchScores(rows=rows, triples=triples, left_out=left_out)


def _without_gaps(
    states: Float[np.ndarray, "sample pos d_model"], feature: Feature
) -> Int[np.ndarray, " _sample"]:
    """Find the sequences that matrices of one size can hold: short, no row left out."""
    if not 3 <= states.shape[1] <= _SHORT:
        return np.arange(0)
    if feature == "norm":
        return np.arange(len(states))
    return np.flatnonzero(states.any(axis=-1).all(axis=-1))


def _similarities(
    states: Float[np.ndarray, "sample pos d_model"], feature: Feature
) -> Float[np.ndarray, "sample pos pos"]:
    samples, length, _ = states.shape
    if feature == "norm":
        values = negative_norms(states)[:, None]
        return np.broadcast_to(values, (samples, length, length))
    unit = unit_rows(states)[0]
    return np.round(unit @ unit.transpose(0, 2, 1), DECIMALS)
