"""Trains stacked networks side by side, each as if it were alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Num
from torch import Tensor

from posprobe.analysis.mlp_learners import MlpLearners
from posprobe.analysis.mlp_stack import MlpStack

Rows = tuple[Float[Tensor, "place _sample d"], Num[Tensor, "_sample target"]]
"""The states of tokens at each place, and what the networks are to say of them."""


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


def train_stack(
    stack: MlpStack,
    train: Rows,
    validation: Rows,
    *,
    seeds: Sequence[int],
    training: MlpTraining,
    done: Callable[[int], None],
) -> None:
    """Train the networks of a stack in place; each ends as it was when it did best.

    A network meets the tokens in an order that its seed decides. When its own patience is over
    it leaves the stack, so that its company makes no difference.

    Args:
        stack: The networks, as they start.
        train: What they learn from.
        validation: What says which epoch was best.
        seeds: The seed of each network.
        training: How fast they learn, and when they stop.
        done: Is told after each step how many networks have just stopped; what it raises ends
            the training.
    """
    learners = MlpLearners(stack.networks, learning_rate=training.learning_rate)
    orders = {seed: torch.Generator().manual_seed(seed) for seed in seeds}
    own = torch.tensor([list(orders).index(seed) for seed in seeds])
    least = train[0].new_full((len(own),), torch.inf, dtype=stack.scales.mean.dtype)
    waited = torch.zeros_like(least)
    for _ in range(training.epochs):
        order = torch.stack([torch.randperm(len(train[1]), generator=g) for g in orders.values()])
        for rows in order.split(training.batch, dim=1):
            still = stack.part(learners.networks, learners.which)
            learners.step(still.loss(*train, rows[own]))
            done(0)
        loss = _mean_loss(stack.part(learners.networks, learners.which), validation)
        better = loss < least
        learners.remember(better)
        least, waited = torch.where(better, loss, least), torch.where(better, 0, waited + 1)
        patient = waited < training.patience
        if not patient.all():
            done(int((~patient).sum()))
            own, least, waited = own[patient.cpu()], least[patient], waited[patient]
            if not len(own):
                break
            learners.keep(patient)
    done(len(own))
    for part, best in zip(stack.networks.parameters(), learners.best.parameters(), strict=True):
        part.copy_(best)


@torch.no_grad()
def _mean_loss(stack: MlpStack, rows: Rows) -> Float[Tensor, " network"]:
    return stack.mean_loss(*rows)
