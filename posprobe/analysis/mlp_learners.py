"""The networks of a stack that still learn."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import pad

from posprobe.analysis.mlp_networks import StackedNetworks

_ALIGNED = 16
"""Biases are padded to a multiple of these, so that each network begins where vectors of numbers
begin: what Adam makes of a number would else depend, in its last bit, on who stands before it."""


class MlpLearners:
    """Networks under Adam, some of which can leave before the others.

    A copy of each network as it was in its best epoch stays until the end.

    Attributes:
        which: The numbers of the networks that still learn.
    """

    which: Int[Tensor, " network"]

    def __init__(self, networks: StackedNetworks, *, learning_rate: float) -> None:
        self._outer = [bias.shape[2] for bias in networks.biases]
        biases = [pad(bias, (0, -bias.shape[2] % _ALIGNED)) for bias in networks.biases]
        self._parts = [part.clone().requires_grad_() for part in (*networks.weights, *biases)]
        self._best = [part.detach().clone() for part in self._parts]
        self._rate = learning_rate
        self._adam = self._optimiser()
        self.which = torch.arange(len(biases[0]), device=biases[0].device)

    @property
    def networks(self) -> StackedNetworks:
        """The networks that still learn, as they are now."""
        return self._cut(self._parts)

    @property
    def best(self) -> StackedNetworks:
        """All networks, each as it was when it was last remembered, or as it began."""
        return self._cut(self._best)

    def step(self, loss: Float[Tensor, " network"]) -> None:
        """Take a step down the loss of each network."""
        self._adam.zero_grad()
        # No network's loss depends on another, so the sum has the gradients of each.
        loss.sum().backward()
        self._adam.step()

    def remember(self, which: Bool[Tensor, " network"]) -> None:
        """Keep those networks as they are now."""
        for best, part in zip(self._best, self._parts, strict=True):
            best[self.which[which]] = part.detach()[which]

    def keep(self, which: Bool[Tensor, " network"]) -> None:
        """Let the other networks go."""
        self.which = self.which[which]
        states = [self._adam.state[part] for part in self._parts]
        self._parts = [part.detach()[which].requires_grad_() for part in self._parts]
        self._adam = self._optimiser()
        for part, state in zip(self._parts, states, strict=True):
            means = {name: state[name][which] for name in ("exp_avg", "exp_avg_sq")}
            self._adam.state[part] = {**state, **means}

    def _optimiser(self) -> torch.optim.Adam:
        # Going once through the memory, not once for each step of the formula.
        return torch.optim.Adam(self._parts, lr=self._rate, fused=True)

    def _cut(self, parts: list[Tensor]) -> StackedNetworks:
        weights, biases = parts[: len(self._outer)], parts[len(self._outer) :]
        cut = (bias[:, :, :outer] for bias, outer in zip(biases, self._outer, strict=True))
        return StackedNetworks(weights=tuple(weights), biases=tuple(cut))
