"""What of a state a probe reads: all of it, its direction, or its length."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from posprobe.analysis.ridge import in_float64

FEATURES = ("state", "cosine", "norm")


def read_feature(
    states: Float[Tensor, "batch pos d"], counted: Bool[Tensor, "batch pos"], feature: str
) -> Float[Tensor, "sample _"]:
    """Take a feature of the counted tokens from their states.

    `state` is the state itself. `cosine` is its cosine to the state of the last counted token
    of the sequence, one number per token; 0 where a state is zero. `norm` is its Euclidean
    length, for the variance hypothesis of Chi et al. (2023): a state whose mean is zero has
    length √d times its standard deviation. Joined features, such as `cosine+norm`, stand side by
    side. Cosine and norm as arXiv 2501.00073 compares them.

    Args:
        states: States of one site.
        counted: Which tokens are read; at least one in each sequence.
        feature: A name from `FEATURES`, or several joined by `+`.

    Returns:
        One row per counted token, sequence after sequence.

    >>> states = torch.tensor([[[3.0, 4.0], [4.0, -3.0], [0.0, 2.0], [9.0, 9.0]]])
    >>> counted = torch.tensor([[True, True, True, False]])
    >>> read_feature(states, counted, "cosine+norm").tolist()
    [[0.8, 5.0], [-0.6, 5.0], [1.0, 2.0]]
    """
    parts = [_part(states, counted, name) for name in feature.split("+")]
    return parts[0] if len(parts) == 1 else torch.cat(list(map(in_float64, parts)), dim=1)


def _part(states: Tensor, counted: Tensor, name: str) -> Float[Tensor, "sample _"]:
    if name == "state":
        return states[counted]
    precise = in_float64(states)
    counted = counted.to(precise.device)
    norms = precise.norm(dim=-1)
    if name == "norm":
        return norms[counted][:, None]
    assert name == "cosine", name
    # The highest place that is counted.
    last = (counted * torch.arange(counted.shape[1], device=counted.device)).argmax(dim=1)
    rows = torch.arange(len(last), device=last.device)
    dots = torch.einsum("bpd,bd->bp", precise, precise[rows, last])
    lengths = norms * norms[rows, last][:, None]
    cosines = torch.where(lengths > 0, dots / lengths, torch.zeros_like(dots))
    return cosines[counted][:, None]
