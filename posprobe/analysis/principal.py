"""Principal components of a table, the same whatever the solver."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True, kw_only=True)
class Principal:
    """Principal components of a table with a row per position.

    Attributes:
        variances: Sum of squares per component (λ), largest first.
        loadings: Unit vectors in `d_model`; their largest-magnitude entry is positive.
        scores: Coordinates of the centred rows on them.
        rank: How many components have variance beyond rounding.
    """

    variances: Float[np.ndarray, " component"]
    loadings: Float[np.ndarray, "component d_model"]
    scores: Float[np.ndarray, "pos component"]
    rank: int


def principal_components(table: Float[np.ndarray, "pos d_model"]) -> Principal:
    """Find the directions along which the rows of a table differ most.

    Rows are centred over positions, then decomposed by SVD. A singular vector has no sign of
    its own, so the largest-magnitude entry of each is made positive.

    Args:
        table: One row per position, finite.

    >>> found = principal_components(np.array([[0.0, 1.0], [0.0, 3.0]]))
    >>> found.scores[:, 0].tolist(), found.rank
    ([-1.0, 1.0], 1)
    """
    table = table.astype(np.float64)
    centred = table - table.mean(axis=0)
    left, singular, right = np.linalg.svd(centred, full_matrices=False)
    signs = _signs(right)
    # Rounding in the mean is relative to the table itself, not to what is left of it.
    floor = np.finfo(np.float64).eps * max(table.shape) * float(np.linalg.norm(table))
    return Principal(
        variances=singular**2,
        loadings=right * signs[:, None],
        scores=left * (singular * signs),
        rank=int((singular > floor).sum()),
    )


def _signs(vectors: Float[np.ndarray, "component d_model"]) -> Float[np.ndarray, " component"]:
    sizes = np.abs(vectors)
    # Entries of equal size must not swap places by rounding: the first of them decides.
    largest = np.argmax(sizes >= sizes.max(axis=1, keepdims=True) * (1 - 1e-9), axis=1)
    return np.where(vectors[np.arange(len(vectors)), largest] < 0, -1.0, 1.0)
