"""From a stored position table to the rows that tokens read."""

import numpy as np
from jaxtyping import Float

from posprobe.models.position_table import PositionTable


def position_rows(stored: Float[np.ndarray, "row d_model"], offset: int) -> PositionTable:
    """Leave out the leading rows that no token reads, and say how many they were."""
    return PositionTable(rows=stored[offset:].astype(np.float64), offset=offset)
