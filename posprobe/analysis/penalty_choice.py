"""Chooses a penalty from the errors on documents that a probe did not learn from."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from posprobe.core.errors import UserError


def best_penalties(
    errors: Float[np.ndarray, "penalty target"], groups: Sequence[int] | None
) -> Int[np.ndarray, " target"]:
    """Say which penalty has the least squared error, for each target.

    Args:
        errors: Squared error summed over the folds, each guessed from the others.
        groups: One label per target. Targets of one label, such as the indicators of the
            classes of one target, share a penalty. None: each has its own.

    Raises:
        UserError: If there is not one label per target.

    >>> errors = np.array([[3.0, 1.0], [1.0, 2.0]])
    >>> best_penalties(errors, None).tolist(), best_penalties(errors, [0, 0]).tolist()
    ([1, 0], [1, 1])
    """
    targets = errors.shape[1]
    labels = np.arange(targets) if groups is None else np.asarray(groups)
    if labels.shape != (targets,):
        raise UserError(f"groups: {labels.size} labels for {targets} targets; want one for each")
    best = np.empty(targets, dtype=np.int64)
    for label in np.unique(labels):
        same = labels == label
        best[same] = errors[:, same].sum(axis=1).argmin()
    return best


def require_folds(tokens_by_fold: Float[np.ndarray, " fold"]) -> Int[np.ndarray, " _fold"]:
    """Return the folds that have tokens.

    Raises:
        UserError: If there are fewer than two, so that no penalty can be tried out.
    """
    filled = np.flatnonzero(tokens_by_fold)
    if len(filled) < 2:
        raise UserError(
            f"{len(filled)} folds of training documents have tokens to learn from; "
            "a penalty is chosen from at least 2: give more documents"
        )
    return filled
