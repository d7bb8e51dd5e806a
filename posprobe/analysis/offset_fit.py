"""The part of attention logits that depends on the distance between key and query only."""

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from posprobe.analysis.offset_sums import offset_sums

_NOTHING = 1e-10
"""Eigenvalues below this part of the largest belong to directions that no row can tell apart."""


class OffsetFit:
    """Fits r(key − query) + c(query) to logits by least squares, over the pairs that count.

    The constant of a row means nothing to softmax, so rows come centred over their keys, and
    what is left to fit is r, centred in the same way. What depends on the pairs alone is made
    once: a fit is then a sum along diagonals and a product.

    >>> fit = OffsetFit(torch.ones(3, 3, dtype=torch.bool).tril())
    >>> toeplitz = torch.tensor([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 1.0, 0.0]])
    >>> rows = fit.centred(toeplitz.double())
    >>> bool(torch.allclose(fit.part(rows), rows))
    True
    """

    def __init__(self, allowed: Bool[Tensor, "query key"]) -> None:
        """Prepare the fit.

        Args:
            allowed: The pairs that count, as many queries as keys.
        """
        self.allowed = allowed
        self._everything = bool(allowed.all())
        self._counts = allowed.sum(dim=-1, keepdim=True).clamp(min=1)
        size = len(allowed)
        places = torch.arange(size)
        self._offsets = places[None] - places[:, None] + size - 1
        # One row per query: which offsets it has keys at.
        has = torch.zeros(size, 2 * size - 1, dtype=torch.float64)
        has.scatter_(1, self._offsets, allowed.to(torch.float64))
        normal = torch.diag(has.sum(dim=0)) - has.T @ (has / self._counts)
        values, vectors = torch.linalg.eigh(normal)
        kept = values > _NOTHING * values[-1]
        self._root = vectors[:, kept] / values[kept].sqrt()

    def centred(self, logits: Float[Tensor, "*axes query key"]) -> Float[Tensor, "*axes query key"]:
        """Take from each query's keys their mean; pairs that do not count become 0.

        Args:
            logits: What they hold at pairs that do not count does not matter.
        """
        if self._everything:
            return logits - logits.mean(dim=-1, keepdim=True)
        kept = torch.where(self.allowed, logits, 0.0)
        return torch.where(self.allowed, kept - kept.sum(-1, keepdim=True) / self._counts, 0.0)

    def squares(self, rows: Float[Tensor, "*axes query key"]) -> Float[Tensor, "*axes"]:
        """Return the sum of squares of the part of centred logits that the fit explains."""
        return ((offset_sums(rows) @ self._root) ** 2).sum(dim=-1)

    def curve(self, rows: Float[Tensor, "*axes query key"]) -> Float[Tensor, "*axes offset"]:
        """Return r of centred logits, from key − query = −(n − 1) to n − 1.

        Only differences between offsets that share a query mean something; offsets that no
        pair has are 0.
        """
        return offset_sums(rows) @ self._root @ self._root.T

    def seen(self, offsets: Int[np.ndarray, " offset"]) -> Bool[np.ndarray, " offset"]:
        """Say of each key − query whether a pair that counts has it."""
        return np.isin(offsets, (self._offsets[self.allowed] - len(self.allowed) + 1).numpy())

    def part(self, rows: Float[Tensor, "*axes query key"]) -> Float[Tensor, "*axes query key"]:
        """Return the part of centred logits that the fit explains, centred as well."""
        return self.centred(self.curve(rows)[..., self._offsets])


def products(
    one: Float[Tensor, "*axes query key"], other: Float[Tensor, "*axes query key"]
) -> Float[Tensor, "*axes"]:
    """Sum the products of two kinds of logits over all pairs.

    >>> products(torch.ones(2, 2), torch.ones(2, 2)).item()
    4.0
    """
    return (one * other).sum(dim=(-2, -1))


def near_offsets(size: int, reach: int, *, causal: bool) -> np.ndarray:
    """Return the offsets at most `reach` away that queries and keys of this number have.

    >>> near_offsets(100, 2, causal=True).tolist()
    [-2, -1, 0]
    """
    far = min(reach, size - 1)
    return np.arange(-far, 1 if causal else far + 1)
