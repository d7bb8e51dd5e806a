"""Sums along the diagonals of queries by keys."""

import torch
from jaxtyping import Float
from torch import Tensor


def offset_sums(matrix: Float[Tensor, "*axes query key"]) -> Float[Tensor, "*axes offset"]:
    """Sum each diagonal of square matrices, from key − query = −(n − 1) to n − 1.

    Args:
        matrix: Queries by keys, as many of each.

    >>> offset_sums(torch.tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [3.0, 5.0, 2.0]
    """
    size = matrix.shape[-1]
    # Reading padded rows with a width one shorter moves each row one column further right,
    # so that (with the rows upside down) diagonals become columns.
    padded = torch.nn.functional.pad(matrix.flip(-2), (0, size)).flatten(-2)
    return padded[..., : size * (2 * size - 1)].unflatten(-1, (size, 2 * size - 1)).sum(dim=-2)
