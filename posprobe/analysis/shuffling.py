"""Targets that have lost their place: the control within documents."""

import numpy as np
from jaxtyping import Float, Int


def shuffled_within(
    documents: Int[np.ndarray, " sample"],
    targets: Float[np.ndarray, "sample target"],
    *,
    rng: np.random.Generator,
) -> Float[np.ndarray, "sample target"]:
    """Deal the targets of each document out among its tokens again.

    A probe that still reads them knows the document, not the place in it. All targets of a
    token move together.

    Args:
        documents: The document of each token, in any order; all its tokens must be here.
        targets: One row per token.
        rng: Makes the order.

    >>> documents, targets = np.array([0, 0, 7]), np.array([[1.0], [2.0], [3.0]])
    >>> shuffled = shuffled_within(documents, targets, rng=np.random.default_rng(0))
    >>> sorted(shuffled[:2, 0].tolist()), shuffled[2, 0].item()
    ([1.0, 2.0], 3.0)
    """
    places = np.argsort(documents, kind="stable")
    dealt = np.lexsort((rng.random(len(documents)), documents))
    shuffled = np.empty_like(targets)
    shuffled[places] = targets[dealt]
    return shuffled
