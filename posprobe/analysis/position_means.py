"""The mean state at each position, over documents that reach every position."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from posprobe.analysis.finite import require_finite
from posprobe.core.arrays import Arrays
from posprobe.core.errors import CorpusError, UserError


@dataclass(frozen=True, kw_only=True)
class MeanStates:
    """Mean states by position.

    Attributes:
        rows: One row per position.
        documents: Documents averaged, the same ones at each position.
        too_short: Documents left out because they do not reach the last position.
    """

    rows: Float[np.ndarray, "pos d_model"]
    documents: int
    too_short: int


class PositionMeans:
    """Adds up states by position, batch by batch; memory does not grow with the corpus.

    Only documents that reach every counted position are counted, so that a difference
    between two positions is never a difference between two sets of documents.

    >>> means = PositionMeans(2)
    >>> states = torch.tensor([[[0.0], [4.0], [9.0]], [[2.0], [6.0], [0.0]]])
    >>> means.update(states, torch.tensor([[True, True, True], [True, True, False]]))
    >>> means.result().rows.tolist(), means.result().documents
    ([[1.0], [5.0]], 2)
    """

    def __init__(self, n_positions: int, *, start: int = 0, site: str = "states") -> None:
        """Prepare empty sums.

        Args:
            n_positions: How many positions to count, at least 1.
            start: The first of them, such as 1 to leave out a start token.
            site: Hook name of the states, for messages.
        """
        if n_positions < 1 or start < 0:
            raise UserError(
                f"n_positions={n_positions}, start={start}: want at least one position from 0 on"
            )
        self._n_positions = n_positions
        self._start = start
        self._site = site
        self._sums: Float[np.ndarray, "pos d_model"] | None = None
        self._documents = 0
        self._too_short = 0

    @torch.no_grad()
    def update(
        self, states: Float[Tensor, "batch pos d_model"], mask: Bool[Tensor, "batch pos"]
    ) -> None:
        """Add a batch of documents.

        Args:
            states: States of one site, any precision.
            mask: True on real tokens. The first of them is at position 0, whichever side
                the padding is on.

        Raises:
            NonFiniteError: If a counted state has inf or NaN.
        """
        end = self._start + self._n_positions
        reaches = mask.sum(dim=1) >= end
        self._documents += int(reaches.sum())
        self._too_short += int((~reaches).sum())
        if not reaches.any():
            return
        if bool(mask[reaches, :end].all()):
            counted = states[reaches.to(states.device), self._start : end]
        else:
            # A stable sort brings the real tokens to the front and keeps their order.
            order = torch.argsort((~mask[reaches]).to(torch.uint8), dim=1, stable=True)
            picked = order[:, self._start : end, None].expand(-1, -1, states.shape[2])
            counted = states[reaches.to(states.device)].gather(1, picked.to(states.device))
        sums = _sum(counted)
        if not np.isfinite(sums).all():
            require_finite(counted.cpu().to(torch.float64).numpy(), self._site)
        self._sums = sums if self._sums is None else self._sums + sums

    def merge(self, other: "PositionMeans") -> None:
        """Add what another one has summed, as if its documents had come here."""
        assert (self._n_positions, self._start) == (other._n_positions, other._start)
        self._documents += other._documents
        self._too_short += other._too_short
        if other._sums is not None:
            self._sums = other._sums if self._sums is None else self._sums + other._sums

    def arrays(self) -> Arrays:
        """Return all that was summed, for `restore`."""
        counts = {"counts": np.array([self._documents, self._too_short])}
        return counts if self._sums is None else {**counts, "sums": self._sums}

    def restore(self, arrays: Arrays) -> None:
        """Take the place of the one whose `arrays` these are; made alike, still empty."""
        self._documents, self._too_short = arrays["counts"].tolist()
        self._sums = arrays.get("sums")

    def result(self) -> MeanStates:
        """Return the means.

        Raises:
            CorpusError: If no document reaches every position.
        """
        if self._sums is None:
            raise CorpusError(
                f"{self._site}: none of {self._too_short} documents reaches position "
                f"{self._start + self._n_positions - 1}; use longer documents or fewer positions"
            )
        return MeanStates(
            rows=self._sums / self._documents,
            documents=self._documents,
            too_short=self._too_short,
        )


def _sum(states: Float[Tensor, "batch pos d_model"]) -> Float[np.ndarray, "pos d_model"]:
    """Add documents up in float64, without a copy of all of them in it."""
    if states.device.type == "mps":  # Apple's accelerator has no float64
        states = states.cpu()
    return states.sum(dim=0, dtype=torch.float64).cpu().numpy()
