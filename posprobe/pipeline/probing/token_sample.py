"""The states of a bounded sample of training tokens."""

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from posprobe.pipeline.probing.corpus import Side
from posprobe.pipeline.probing.samples import Sample


class TokenSample:
    """Tokens drawn evenly from the counted ones of a side, and what is read of them.

    Attributes:
        labels: Their targets.
        shuffled: The same, shuffled within documents.
        fold: Their documents' folds.
        states: What is read of them, in float32, one tensor per reading.
    """

    labels: Int[np.ndarray, "target sample"]
    shuffled: Int[np.ndarray, "target sample"]
    fold: Int[np.ndarray, " sample"]
    states: list[Float[Tensor, "sample _"]]

    def __init__(self, side: Side, *, tokens: int, seed: int) -> None:
        """Draw the tokens.

        Args:
            side: Where they are drawn from.
            tokens: How many, at most.
            seed: Seed of the draw.
        """
        counted = np.flatnonzero(side.text.counted)
        rng = np.random.default_rng(seed)
        drawn = np.sort(rng.choice(counted, size=min(tokens, counted.size), replace=False))
        self._row = np.full(side.text.counted.size, -1)
        self._row[drawn] = np.arange(drawn.size)
        self.labels = side.text.labels[:, drawn]
        self.shuffled = side.shuffled[:, drawn]
        self.fold = side.fold[side.text.document[drawn]]
        self.states = []

    def __len__(self) -> int:
        return self.labels.shape[1]

    def update(self, sample: Sample) -> None:
        """Keep the states of those tokens of a batch that were drawn."""
        if not self.states:
            # All at once, since pieces that are joined later take twice the memory.
            self.states = [
                torch.empty(len(self), states.shape[1], device=states.device)
                for states in sample.states
            ]
        rows = torch.from_numpy(self._row[sample.places])
        for kept, states in zip(self.states, sample.states, strict=True):
            own = rows.to(states.device)
            kept[own[own >= 0]] = states[own >= 0].to(torch.float32)

    def take(self, reading: int) -> Float[Tensor, "sample _"]:
        """Hand out the states of a reading and keep them no longer."""
        states, self.states[reading] = self.states[reading], torch.empty(0, 0)
        return states
