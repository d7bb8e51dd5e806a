"""How position enters a model: table rows, sinusoids, rotations, relative buckets."""

import math

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

N_BUCKETS = 32
MAX_DISTANCE = 128

Turn = tuple[Float[Tensor, "batch pos 1 pair"], Float[Tensor, "batch pos 1 pair"]]
"""Cosine and sine of an angle for each pair of a head's numbers."""


def token_positions(mask: Bool[Tensor, "batch pos"]) -> Int[Tensor, "batch pos"]:
    """Count real tokens from 0, so that padding on either side moves nothing.

    Padding is given position 0; what it reads never reaches a real token.

    >>> token_positions(torch.tensor([[False, True, True]])).tolist()
    [[0, 0, 1]]
    """
    return (mask.cumsum(-1) - 1).clamp(min=0)


def sinusoids(n_ctx: int, d_model: int) -> Float[Tensor, "pos d_model"]:
    """Return interleaved sines and cosines with wavelengths from 2π to 10000·2π."""
    position = torch.arange(n_ctx).float().unsqueeze(1)
    rate = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    table = torch.zeros(n_ctx, d_model)
    table[:, 0::2] = torch.sin(position * rate)
    table[:, 1::2] = torch.cos(position * rate)
    return table


def turns(positions: Int[Tensor, "batch pos"], d_head: int) -> Turn:
    """Return cosine and sine of the angles by which `rotate` turns, in float32.

    NeoBERT's convention: pairs (0,1), (2,3), …, base 10000.
    """
    pair = torch.arange(0, d_head, 2, device=positions.device).float()
    angle = positions[..., None].float() * 10000.0 ** (-pair / d_head)
    return angle.cos()[:, :, None], angle.sin()[:, :, None]


def rotate(
    x: Float[Tensor, "batch pos head d_head"], turn: Turn
) -> Float[Tensor, "batch pos head d_head"]:
    """Turn neighbouring pairs of a query or key by angles that grow with position."""
    cos, sin = turn
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1)
    return turned.flatten(-2).to(x.dtype)


def relative_buckets(offset: Int[Tensor, "*shape"]) -> Int[Tensor, "*shape"]:
    """Map key − query to one of 32 buckets, as T5's bidirectional encoder does.

    Sixteen buckets a side: eight exact, then logarithmic up to a distance of 128; keys after
    the query are in the upper half.

    >>> relative_buckets(torch.tensor([0, -3, 3, -500])).tolist()
    [0, 3, 19, 15]
    """
    side = N_BUCKETS // 2
    exact = side // 2
    distance = offset.abs()
    growth = torch.log(distance.clamp(min=1).float() / exact) / math.log(MAX_DISTANCE / exact)
    far = (exact + (growth * (side - exact)).long()).clamp(max=side - 1)
    return torch.where(distance < exact, distance, far) + side * (offset > 0)


def by_offset(values: Float[Tensor, "head offset"]) -> Float[Tensor, "head query key"]:
    """Spread one value per offset over all pairs of a query and a key.

    Each row of pairs is the one before it, shifted by one. A gradient comes back as a sum over
    rows, which takes a fraction of the time that looking up each pair takes.

    Args:
        values: For the offsets key − query from −(n − 1) to n − 1.

    >>> by_offset(torch.tensor([[-1.0, 0.0, 1.0]])).tolist()
    [[[0.0, 1.0], [-1.0, 0.0]]]
    """
    heads, offsets = values.shape
    n = (offsets + 1) // 2
    # The offsets from 0 on, one that no pair has, then those below 0: a cycle of 2 n, of which
    # each row of 2 n - 1 begins one step later.
    cycle = torch.cat((values[:, n - 1 :], values[:, :1], values[:, : n - 1]), dim=1)
    rows = cycle[:, None].expand(heads, n, 2 * n).reshape(heads, -1)
    return rows[:, : n * (2 * n - 1)].view(heads, n, 2 * n - 1)[:, :, :n]


def border(mask: Bool[Tensor, "batch pos"]) -> Bool[Tensor, "batch pos"]:
    """Mark each document's first and last real token."""
    order = mask.cumsum(-1)
    return mask & ((order == 1) | (order == order[:, -1:]))
