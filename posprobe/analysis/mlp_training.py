"""Trains stacked networks side by side, each as if it were alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from posprobe.analysis.mlp_networks import StackedNetworks


@dataclass(frozen=True, kw_only=True)
class MlpTraining:
    """How the networks learn: Adam, and the epoch that was best on the validation documents.

    Attributes:
        learning_rate: Of Adam.
        batch: Tokens per step.
        epochs: Passes over the training tokens, at most.
        patience: Epochs without a better loss after which a network is done.
    """

    learning_rate: float = 1e-3
    batch: int = 128
    epochs: int = 60
    patience: int = 6


def train_networks(
    networks: StackedNetworks,
    *,
    seeds: Sequence[int],
    tokens: int,
    loss: Callable[[Int[Tensor, "network sample"]], Float[Tensor, " network"]],
    watched: Callable[[], Float[Tensor, " network"]],
    training: MlpTraining,
) -> None:
    """Train networks in place; each ends as it was when it did best.

    A network meets the tokens in an order that its seed decides, and is done when its own
    patience is over, so that its company makes no difference.

    Args:
        networks: As they start.
        seeds: The seed of each network.
        tokens: How many training tokens there are.
        loss: Mean loss of each network on training tokens of its own.
        watched: Loss of each network on the validation tokens.
        training: How fast they learn, and when they stop.
    """
    for part in networks.parameters():
        part.requires_grad_()
    adam = torch.optim.Adam(networks.parameters(), lr=training.learning_rate)
    orders = {seed: torch.Generator().manual_seed(seed) for seed in seeds}
    own = torch.tensor([list(orders).index(seed) for seed in seeds])
    best = _BestEpochs(networks)
    for _ in range(training.epochs):
        order = torch.stack([torch.randperm(tokens, generator=g) for g in orders.values()])
        for rows in order.split(training.batch, dim=1):
            adam.zero_grad()
            # No network's loss depends on another, so the sum has the gradients of each.
            loss(rows[own]).sum().backward()
            adam.step()
        with torch.no_grad():
            if best.done(watched(), patience=training.patience):
                break
    best.restore()


class _BestEpochs:
    """Each network as it was in its best epoch so far."""

    def __init__(self, networks: StackedNetworks) -> None:
        self._parts = networks.parameters()
        self._best = [part.detach().clone() for part in self._parts]
        self._least = self._best[0].new_full((len(self._best[0]),), torch.inf)
        self._waited = torch.zeros_like(self._least)

    def done(self, loss: Float[Tensor, " network"], *, patience: int) -> bool:
        """Take in an epoch; say whether every network's patience is over."""
        better = (loss < self._least) & (self._waited < patience)
        for kept, part in zip(self._best, self._parts, strict=True):
            kept[better] = part.detach()[better]
        self._least = torch.where(better, loss, self._least)
        self._waited = torch.where(better, 0, self._waited + 1)
        return bool((self._waited >= patience).all())

    def restore(self) -> None:
        """Set the networks back to their best epochs."""
        for kept, part in zip(self._best, self._parts, strict=True):
            part.requires_grad_(False).copy_(kept)
            part.grad = None
