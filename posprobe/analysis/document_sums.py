"""Sums by document, and the bootstrap that draws documents and adds their sums up again."""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float, Int

from posprobe.analysis.probes import Score

CONSTANT = "constant"
"""The target is the same for all tokens: there is nothing to explain."""
NO_TOKENS = "no tokens"
"""None of the tokens that were looked at has the target."""
_BLOCK = 1 << 22
"""Numbers held at once by the draws, so that memory does not grow with the corpus."""
_ENDS = (0.025, 0.975)
_GROUPS = 20
_DECIMALS = 6
"""Of the scores without a group, which only serve to find how much they vary."""


def add_by_document(
    sums: Float[np.ndarray, "document ..."],
    documents: Int[np.ndarray, " sample"],
    values: Float[np.ndarray, "sample ..."],
) -> None:
    """Add the values of each token to the row of its document, in place.

    >>> sums = np.zeros((3, 1))
    >>> add_by_document(sums, np.array([2, 0, 2]), np.array([[1.0], [5.0], [1.0]]))
    >>> sums.T.tolist()
    [[5.0, 0.0, 2.0]]
    """
    if not len(documents):
        return
    assert documents.min() >= 0, "a document's number counts from 0"
    order = np.argsort(documents, kind="stable")
    present, first = np.unique(documents[order], return_index=True)
    sums[present] += np.add.reduceat(values[order], first, axis=0)


def with_draws(
    parts: Sequence[Float[np.ndarray, "document ..."]],
    compute: Callable[[Float[np.ndarray, "draw column"]], Float[np.ndarray, "draw ..."]],
    *,
    draws: int,
    seed: int,
) -> tuple[Float[np.ndarray, "..."], Float[np.ndarray, "draw ..."]]:
    """Compute scores from sums over all documents, and again for documents drawn from them.

    As many documents are drawn as have sums, with replacement. The same seed and documents
    make the same draws, so that two probes can be compared draw by draw.

    Args:
        parts: Sums by document; a document whose sums are all 0 takes no part.
        compute: Scores from the sums of each row, its columns those of the parts in order.
        draws: How often to draw.
        seed: Seed of the draws.

    Returns:
        The scores, and those of each draw; no draw with fewer than two documents.
    """
    sums = np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)
    sums = sums[sums.any(axis=1)]
    value = compute(sums.sum(axis=0)[None])
    if len(sums) < 2:
        return value[0], value[:0]
    rng = np.random.default_rng(seed)
    drawn = []
    step = max(1, _BLOCK // max(sums.shape))
    for start in range(0, draws, step):
        size = min(step, draws - start)
        times = rng.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), size=size)
        drawn.append(compute(times @ sums))
    return value[0], np.concatenate(drawn)


def without_groups(
    parts: Sequence[Float[np.ndarray, "document ..."]],
    compute: Callable[[Float[np.ndarray, "group column"]], Float[np.ndarray, "group ..."]],
) -> Float[np.ndarray, "group ..."]:
    """Compute scores from all documents but those of one group, for each group in turn.

    Documents whose numbers leave the same remainder form a group, so that two probes examined
    on the same documents leave out the same ones, and their scores can be compared in pairs.

    Args:
        parts: Sums by document.
        compute: Scores from the sums of each row, its columns those of the parts in order.

    Returns:
        The scores without each group; 20 groups, or as many as there are documents. Nothing if
        only one group has sums.
    """
    sums = np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)
    groups = np.zeros((min(_GROUPS, len(sums)), sums.shape[1]))
    np.add.at(groups, np.arange(len(sums)) % len(groups), sums)
    total = sums.sum(axis=0)
    if groups.any(axis=1).sum() < 2:
        return compute(total[None])[:0]
    return compute(total - groups)


def seed_score(
    metric: str,
    by_seed: Float[np.ndarray, " seed"],
    drawn: Float[np.ndarray, "draw seed"],
    without: Float[np.ndarray, "group seed"] | None = None,
) -> Score:
    """Put a score together from those of the seeds, which share the documents drawn.

    Args:
        metric: Name of the score.
        by_seed: The score of each seed.
        drawn: The same for each draw of documents; a draw without a score is left out, and
            without any draw the interval is NaN.
        without: The same without each group of documents, where they are kept.

    >>> seed_score("r2", np.array([0.5, 0.7]), np.full((9, 2), 0.6))
    Score(metric='r2', value=0.6, low=0.6, high=0.6, by_seed=(0.5, 0.7), without=())
    """
    value = float(by_seed.mean())
    means = drawn.mean(axis=1)
    means = means[~np.isnan(means)]
    low, high = np.quantile(means, _ENDS) if means.size and not np.isnan(value) else (np.nan,) * 2
    return Score(
        metric=metric,
        value=value,
        low=float(low),
        high=float(high),
        by_seed=tuple(by_seed.tolist()),
        without=() if without is None else tuple(without.mean(axis=1).round(_DECIMALS).tolist()),
    )
