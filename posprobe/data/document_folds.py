"""Which documents probes learn from, in folds, and which they are examined on."""

import numpy as np
from jaxtyping import Int

from posprobe.core.errors import UserError

HELD_OUT = -1
"""The fold of a document that probes are examined on."""


def document_folds(
    n: int, *, folds: int, test_share: float, seed: int
) -> Int[np.ndarray, " sample"]:
    """Deal documents out to the folds of the training documents and to the test documents.

    Only the number of documents and the seed decide, so that models with different tokenizers
    learn from the same documents.

    Args:
        n: How many documents there are.
        folds: Folds of the training documents, at least 2.
        test_share: Fraction of the documents that is held out, between 0 and 1.
        seed: Seed of the order.

    Returns:
        The fold of each document, from 0; `HELD_OUT` for the test.

    Raises:
        UserError: If a fold would be empty, or fewer than two documents held out.

    >>> sorted(document_folds(8, folds=3, test_share=0.25, seed=0).tolist())
    [-1, -1, 0, 0, 1, 1, 2, 2]
    """
    held_out = round(test_share * n)
    if held_out < 2 or n - held_out < folds:
        raise UserError(
            f"{n} documents: {held_out} to examine the probes on and {n - held_out} to learn from "
            f"are too few (at least 2, and one for each of {folds} folds); use more documents"
        )
    found = np.empty(n, dtype=np.int64)
    order = np.random.default_rng(seed).permutation(n)
    found[order[:held_out]] = HELD_OUT
    found[order[held_out:]] = np.arange(n - held_out) % folds
    return found
