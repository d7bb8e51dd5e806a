"""What the probes of Holmes learn to make small, and its slope."""

from abc import ABC, abstractmethod

import torch
from jaxtyping import Float, Shaped
from torch import Tensor, nn

Outputs = Float[Tensor, "*member output sample"]
Targets = Shaped[Tensor, "*member sample"]
Values = Float[Tensor, "*member sample"]


class Loss(ABC):
    """A loss for each sample, and its slope in the probe's outputs."""

    @abstractmethod
    def values(self, outputs: Outputs, targets: Targets) -> Values:
        """Return the loss of each sample."""

    @abstractmethod
    def slopes(self, outputs: Outputs, targets: Targets) -> Outputs:
        """Return the derivative of each sample's loss by its outputs."""


class CrossEntropy(Loss):
    """The usual loss for classes: −ln of the probability of the true one."""

    def values(self, outputs: Outputs, targets: Targets) -> Values:
        """Return −ln p(true class)."""
        return -_of_target(outputs.log_softmax(-2), targets)

    def slopes(self, outputs: Outputs, targets: Targets) -> Outputs:
        """Return p − 1 for the true class and p for the others."""
        return _less_target(outputs.softmax(-2), targets)


class TwiceSoftmax(Loss):
    """What the benchmark's code does: the probabilities go through a softmax once more.

    The loss of two classes then lies between 0.31 and 1.31, and slopes are small, above all with
    many classes. Its public scores were made so.
    """

    def values(self, outputs: Outputs, targets: Targets) -> Values:
        """Return −ln of the true class's softmax over the probabilities."""
        return CrossEntropy().values(outputs.softmax(-2), targets)

    def slopes(self, outputs: Outputs, targets: Targets) -> Outputs:
        """Return the slope through both softmaxes."""
        p = outputs.softmax(-2)
        slope = CrossEntropy().slopes(p, targets)
        return p * (slope - (slope * p).sum(-2, keepdim=True))


class SmoothL1(Loss):
    """The loss for numbers: half the squared error up to 1, then the error less a half."""

    def values(self, outputs: Outputs, targets: Targets) -> Values:
        """Return the loss; there is one output."""
        return nn.functional.smooth_l1_loss(outputs.squeeze(-2), targets, reduction="none")

    def slopes(self, outputs: Outputs, targets: Targets) -> Outputs:
        """Return the error, cut at −1 and 1."""
        return (outputs - targets.unsqueeze(-2)).clamp(-1, 1)


def _of_target(values: Outputs, targets: Targets) -> Values:
    return values.gather(-2, targets.unsqueeze(-2)).squeeze(-2)


def _less_target(p: Outputs, targets: Targets) -> Outputs:
    return p.scatter_add(-2, targets.unsqueeze(-2), torch.full_like(p[..., :1, :], -1.0))
