"""A term of the logits as a curve over the distance between key and query."""

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from posprobe.analysis.offset_sums import offset_sums
from posprobe.core.arrays import Arrays


class OffsetMeans:
    """Adds up a term by offset (key − query), over the pairs that attention allows.

    >>> means = OffsetMeans(1, 1)
    >>> toeplitz = torch.tensor([[[[0.0, 1.0], [-1.0, 0.0]]]])
    >>> means.update(0, toeplitz, torch.ones(3, 2, 2, dtype=torch.bool))
    >>> [part.tolist() for part in means.result()]
    [[-1, 0, 1], [[[-1.0, 0.0, 1.0]]]]
    """

    def __init__(self, n_layers: int, n_heads: int) -> None:
        self._sums = np.zeros((n_layers, n_heads, 1))
        self._counts = np.zeros((n_layers, 1))

    def update(
        self,
        layer: int,
        term: Float[Tensor, "_ head query key"],
        allowed: Bool[Tensor, "batch query key"],
    ) -> None:
        """Add a batch.

        Args:
            layer: Which layer.
            term: The term per document, or once for all documents (batch axis 1).
            allowed: The pairs to count, per document.
        """
        length = allowed.shape[-1]
        self._grow(length)
        middle = self._sums.shape[-1] // 2
        place = slice(middle - length + 1, middle + length)
        shared = len(term) == 1
        weights = allowed.sum(dim=0, keepdim=True) if shared else allowed
        total = torch.zeros(term.shape[1:], dtype=torch.float64, device=term.device)
        for values, weight in zip(term, weights, strict=True):
            # Pairs that are not counted may hold anything, −inf included.
            total += torch.where(weight > 0, values.to(torch.float64) * weight, 0.0)
        self._sums[layer, :, place] += offset_sums(total).cpu().numpy()
        counts = weights.sum(dim=0, dtype=torch.float64)
        self._counts[layer, place] += offset_sums(counts[None])[0].cpu().numpy()

    def merge(self, other: "OffsetMeans") -> None:
        """Add what another one has summed, as if its documents had come here."""
        self._grow(other._sums.shape[-1] // 2 + 1)
        beside = (self._sums.shape[-1] - other._sums.shape[-1]) // 2
        place = slice(beside, self._sums.shape[-1] - beside)
        self._sums[..., place] += other._sums
        self._counts[:, place] += other._counts

    def arrays(self) -> Arrays:
        """Return all that was summed, for `restore`."""
        return {"sums": self._sums, "counts": self._counts}

    def restore(self, arrays: Arrays) -> None:
        """Take the place of the one whose `arrays` these are; made alike, still empty."""
        self._sums, self._counts = arrays["sums"], arrays["counts"]

    def result(
        self,
    ) -> tuple[Int[np.ndarray, " offset"], Float[np.ndarray, "layer head offset"]]:
        """Return the offsets that occur and the mean of the term at each."""
        seen = np.flatnonzero(self._counts.sum(axis=0))
        sums, counts = self._sums[..., seen], self._counts[:, None, seen]
        nothing = np.full(sums.shape, np.nan)
        curve = np.divide(sums, counts, out=nothing, where=np.broadcast_to(counts > 0, sums.shape))
        return seen - self._sums.shape[-1] // 2, curve

    def _grow(self, length: int) -> None:
        extra = length - 1 - self._sums.shape[-1] // 2
        if extra > 0:
            self._sums = np.pad(self._sums, ((0, 0), (0, 0), (extra, extra)))
            self._counts = np.pad(self._counts, ((0, 0), (extra, extra)))
