"""From a stored position table to the rows that tokens read."""

import torch
from jaxtyping import Float
from torch import Tensor

from posprobe.models.protocol import PositionTable


def position_rows(stored: Float[Tensor, "row d_model"], offset: int) -> PositionTable:
    """Leave out the leading rows that no token reads, and say how many they were."""
    rows = stored.detach().to(device="cpu", dtype=torch.float64)[offset:]
    return PositionTable(rows=rows.clone().numpy(), offset=offset)
