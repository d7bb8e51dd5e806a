"""The scales that networks learn in: means 0 and standard deviations 1."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from posprobe.analysis.ridge import in_float64


@dataclass(frozen=True, kw_only=True, eq=False)
class FeatureScales:
    """What standardises the states of each place.

    Attributes:
        mean: Mean of each feature over the training tokens.
        factor: One over its standard deviation; 0 where the feature is constant.
    """

    mean: Float[Tensor, "place 1 d"]
    factor: Float[Tensor, "place 1 d"]

    @classmethod
    def of(cls, states: Float[Tensor, "place sample d"]) -> "FeatureScales":
        """Read the scales off training tokens, for networks in float64 if these are."""
        precision = torch.promote_types(states.dtype, torch.float32)
        means, factors = [], []
        for place in states:
            features = in_float64(place)
            sd, mean = torch.std_mean(features, dim=0, correction=0)
            varies = sd > torch.finfo(precision).eps * mean.abs()
            means.append(mean.to(states.device, precision))
            factors.append(torch.where(varies, 1 / sd, 0.0).to(states.device, precision))
        return cls(mean=torch.stack(means)[:, None], factor=torch.stack(factors)[:, None])

    def standardise(
        self, states: Float[Tensor, "network sample d"], place: Int[Tensor, " network"]
    ) -> Float[Tensor, "network sample d"]:
        """Standardise states, each row of the stack by the scales of its place."""
        return (states.to(self.mean.dtype) - self.mean[place]) * self.factor[place]


@dataclass(frozen=True, kw_only=True, eq=False)
class NumberScales:
    """What standardises the targets.

    Attributes:
        mean: Mean of each target over the training tokens.
        sd: Its standard deviation; 1 where the target is constant.
    """

    mean: Float[Tensor, " target"]
    sd: Float[Tensor, " target"]

    @classmethod
    def of(cls, targets: Float[Tensor, "sample target"]) -> "NumberScales":
        """Read the scales off training tokens."""
        sd, mean = torch.std_mean(targets.cpu().double(), dim=0, correction=0)
        return cls(mean=mean, sd=torch.where(sd > 0, sd, 1.0))

    def standardise(
        self, targets: Float[Tensor, "sample target"]
    ) -> Float[Tensor, "sample target"]:
        """Bring targets to the scale of the networks."""
        return (targets.cpu().double() - self.mean) / self.sd
