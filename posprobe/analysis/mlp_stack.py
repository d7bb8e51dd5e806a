"""Networks that are trained side by side, each on the states of its own place."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int, Num
from torch import Tensor
from torch.nn.functional import cross_entropy

from posprobe.analysis.mlp_networks import StackedNetworks
from posprobe.analysis.mlp_scales import FeatureScales

BLOCK = 1 << 17
"""Numbers of states that every network looks at together where it learns nothing from them."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MlpStack:
    """Networks, what each of them reads, and the scales they learned with.

    Attributes:
        networks: The networks.
        seed: Number of the seed of each network.
        place: Number of its place.
        target: Number of its target.
        scales: Standardise the states, by place.
    """

    networks: StackedNetworks
    seed: Int[Tensor, " network"]
    place: Int[Tensor, " network"]
    target: Int[Tensor, " network"]
    scales: FeatureScales

    def part(self, networks: StackedNetworks, which: Int[Tensor, " some"]) -> "MlpStack":
        """Return a stack of some of the networks, as they are now."""
        return MlpStack(
            networks=networks,
            seed=self.seed[which],
            place=self.place[which],
            target=self.target[which],
            scales=self.scales,
        )

    def run(
        self, states: Float[Tensor, "place all d"], rows: Int[Tensor, "network sample"]
    ) -> Float[Tensor, "network sample outer"]:
        """Run each network on rows of its own, taken from the states of its place."""
        own = states[self.place[:, None], rows]
        return self.networks(self.scales.standardise(own, self.place))

    def loss(
        self,
        states: Float[Tensor, "place all d"],
        targets: Num[Tensor, "all target"],
        rows: Int[Tensor, "network sample"],
    ) -> Float[Tensor, " network"]:
        """Return the mean loss of each network: squared error, or cross-entropy of classes."""
        guess = self.run(states, rows)
        truth = targets[rows, self.target[:, None]]
        if truth.is_floating_point():
            return ((guess[..., 0] - truth) ** 2).mean(dim=1)
        return cross_entropy(guess.transpose(1, 2), truth, reduction="none").mean(dim=1)

    def mean_loss(
        self, states: Float[Tensor, "place all d"], targets: Num[Tensor, "all target"]
    ) -> Float[Tensor, " network"]:
        """Return the loss of each network over all the tokens."""
        blocks = self.blocks(states)
        losses = [self.loss(states, targets, rows) * rows.shape[1] for rows in blocks]
        return torch.stack(losses).sum(dim=0) / states.shape[1]

    def blocks(
        self, states: Float[Tensor, "place all d"]
    ) -> Iterator[Int[Tensor, "network _sample"]]:
        """Yield all rows, some at a time, the same ones for every network of any stack."""
        rows_each = max(1, BLOCK // states.shape[2])
        for rows in torch.arange(states.shape[1], device=states.device).split(rows_each):
            yield rows.expand(len(self.place), -1)
