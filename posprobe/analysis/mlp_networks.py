"""Many small networks of one shape, as stacked matrices."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class StackedNetworks:
    """Networks side by side: linear layers with ReLU between them.

    Attributes:
        weights: One stack per layer.
        biases: Likewise.
    """

    weights: tuple[Float[Tensor, "network _inner _outer"], ...]
    biases: tuple[Float[Tensor, "network 1 _outer"], ...]

    def __call__(
        self, states: Float[Tensor, "network sample d"]
    ) -> Float[Tensor, "network sample outer"]:
        """Run each network on states of its own."""
        values = states
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            values = _linear(values.relu_() if layer else values, weight, bias)
        return values

    def parameters(self) -> list[Float[Tensor, "network _ _outer"]]:
        """Return the stacks, in the same order for all networks of one shape."""
        return [*self.weights, *self.biases]


def start_networks(
    widths: Sequence[int], seeds: Sequence[int], like: Float[Tensor, "..."]
) -> StackedNetworks:
    """Make networks with random weights, uniform within ±1/√fan-in as PyTorch has it.

    A network depends on its own seed only, so networks of one seed start alike.

    Args:
        widths: Width of the states, of each hidden layer, and of what comes out.
        seeds: The seed of each network.
        like: Has the precision and the device that they shall have.
    """
    each = {seed: _start(widths, seed) for seed in set(seeds)}
    stacks = [
        torch.stack([each[seed][part] for seed in seeds]).to(like)
        for part in range(2 * (len(widths) - 1))
    ]
    return StackedNetworks(weights=tuple(stacks[0::2]), biases=tuple(stacks[1::2]))


def _linear(
    values: Float[Tensor, "network sample inner"],
    weight: Float[Tensor, "network inner outer"],
    bias: Float[Tensor, "network 1 outer"],
) -> Float[Tensor, "network sample outer"]:
    if len(values) == 1 and 1 in weight.shape[1:]:
        # The product of one matrix with one row or column would be added up in another order than
        # that of several, so that a lone network would not be what it is in company.
        values, weight, bias = (part.expand(2, -1, -1) for part in (values, weight, bias))
        return torch.baddbmm(bias, values, weight)[:1]
    return torch.baddbmm(bias, values, weight)


def _start(widths: Sequence[int], seed: int) -> list[Float[Tensor, "_ _outer"]]:
    generator = torch.Generator().manual_seed(seed)
    parts = []
    for inner, outer in pairwise(widths):
        for rows in (inner, 1):
            spread = torch.rand(rows, outer, generator=generator, dtype=torch.float64)
            parts.append((2 * spread - 1) / inner**0.5)
    return parts
