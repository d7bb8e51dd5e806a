"""What softmax makes of the logits, with and without a term."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor


def attention_pattern(
    logits: Float[Tensor, "batch head query key"], counted: Bool[Tensor, "batch query key"]
) -> Float[Tensor, "batch head query key"]:
    """Return the softmax over the counted keys; rows without any are zero.

    >>> both, first = torch.tensor([[[True, True]]]), torch.tensor([[[True, False]]])
    >>> attention_pattern(torch.zeros(1, 1, 1, 2), both).flatten().tolist()
    [0.5, 0.5]
    >>> attention_pattern(torch.zeros(1, 1, 1, 2), first).flatten().tolist()
    [1.0, 0.0]
    """
    keys = counted[:, None]
    rows = keys.any(dim=-1, keepdim=True)
    hidden = logits.masked_fill(~keys, -torch.inf).masked_fill(~rows, 0.0)
    return torch.softmax(hidden, dim=-1) * rows


def divergence(
    one: Float[Tensor, "batch head query key"], other: Float[Tensor, "batch head query key"]
) -> Float[Tensor, "batch head query"]:
    """Return the Jensen–Shannon divergence of two patterns per query, in bits.

    0: the same pattern. 1: they attend to different keys altogether.

    >>> left, right = torch.tensor([[[[1.0, 0.0]]]]), torch.tensor([[[[0.0, 1.0]]]])
    >>> divergence(left, right).item(), divergence(left, left).item()
    (1.0, 0.0)
    """
    entropy = torch.special.entr
    # Entropy is concave, so that no addend is negative and small divergences do not cancel.
    gain = entropy((one + other) / 2) - (entropy(one) + entropy(other)) / 2
    return gain.clamp(min=0.0).sum(dim=-1) / math.log(2)
