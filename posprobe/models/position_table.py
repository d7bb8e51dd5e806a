"""What a learned position table is; known without torch, so that one can be read without it."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True, kw_only=True)
class PositionTable:
    """A learned table with one row per position.

    Attributes:
        rows: The rows that positions 0, 1, … read, in float64.
        offset: How many leading rows of the stored table no token ever reads
            (padding rows), and which are therefore left out of `rows`.
        trained: How many rows training reached, where the checkpoint's records say so.
    """

    rows: Float[np.ndarray, "pos d_model"]
    offset: int = 0
    trained: int | None = None
