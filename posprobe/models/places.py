"""Where the tokens of a batch stand, worked out once for all blocks of an encoder."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from posprobe.models.attention import allowed_keys
from posprobe.models.config import EncoderConfig
from posprobe.models.positions import Turn, border, relative_buckets, token_positions, turns


@dataclass(frozen=True, kw_only=True, eq=False)
class Places:
    """What attention has to know of the places of a batch's tokens.

    Attributes:
        positions: Position of each token.
        allowed: Which keys each query may see; None: all.
        turn: How far queries and keys are turned, in rotary models.
        buckets: Bucket of each offset key − query, in models with a relative bias.
        inner: Where the relative bias applies; None: everywhere.
    """

    positions: Int[Tensor, "batch pos"]
    allowed: Bool[Tensor, "#batch 1 query key"] | None
    turn: Turn | None = None
    buckets: Int[Tensor, " offset"] | None = None
    inner: Bool[Tensor, "#batch pos"] | None = None


def find_places(cfg: EncoderConfig, real: Bool[Tensor, "batch pos"], *, padded: bool) -> Places:
    """Work out where tokens stand.

    Args:
        cfg: The encoder's settings.
        real: True on real tokens.
        padded: Whether padding is to be told from text; without, there is none.
    """
    positions = token_positions(real)
    length, device = real.shape[1], real.device
    allowed = allowed_keys(real if padded else None, length=length, causal=False, device=device)
    turn = turns(positions, cfg.d_head) if cfg.position == "rope" else None
    if not cfg.has_bias:
        return Places(positions=positions, allowed=allowed, turn=turn)
    # Columns of one row differ by as much as their positions, so one row serves the batch.
    buckets = relative_buckets(torch.arange(1 - length, length, device=device))
    inner = _inner(cfg, real, padded)
    return Places(positions=positions, allowed=allowed, buckets=buckets, inner=inner)


def _inner(cfg: EncoderConfig, real: Tensor, padded: bool) -> Tensor | None:
    if cfg.rp_border == "none":
        return None
    if cfg.rp_border == "document" and padded:
        return ~border(real)
    # Without padding, or where padding counts as text, one row serves the batch.
    return ~border(torch.ones_like(real[:1]))
