"""Adam for a few tensors, with the benchmark's warm-up and decay of the rate."""

import torch
from torch import Tensor

RATE = 1e-3
WARM_UP = 0.1
"""Share of all steps in which the rate climbs from 0; from there it falls back to 0."""
_FIRST, _SECOND, _EPSILON = 0.9, 0.999, 1e-8


class Adam:
    """Updates parameters in place by Adam (Kingma & Ba 2015), without weight decay."""

    def __init__(self, parameters: list[Tensor], *, steps: int) -> None:
        """Begin with the first step.

        Args:
            parameters: What is learned.
            steps: Steps of a whole training, which the rate is planned for.
        """
        self._parameters, self._steps = parameters, steps
        self._mean = [torch.zeros_like(parameter) for parameter in parameters]
        self._square = [torch.zeros_like(parameter) for parameter in parameters]
        self._done = 0

    def step(self, gradients: list[Tensor]) -> None:
        """Take one step.

        Args:
            gradients: One for each parameter.
        """
        rate = RATE * rate_factor(self._done, steps=self._steps)
        self._done += 1
        unbiased = (1 - _SECOND**self._done) ** 0.5
        size = rate / (1 - _FIRST**self._done)
        for parameter, gradient, mean, square in zip(
            self._parameters, gradients, self._mean, self._square, strict=True
        ):
            mean.lerp_(gradient, 1 - _FIRST)
            square.mul_(_SECOND).addcmul_(gradient, gradient, value=1 - _SECOND)
            parameter.addcdiv_(mean, (square.sqrt() / unbiased).add_(_EPSILON), value=-size)


def rate_factor(step: int, *, steps: int) -> float:
    """Return what the rate is multiplied by at a step.

    Args:
        step: From 0.
        steps: Steps of a whole training.

    >>> [rate_factor(step, steps=20) for step in (0, 1, 2, 11)]
    [0.0, 0.5, 1.0, 0.5]
    """
    climb = WARM_UP * steps
    return step / climb if step < climb else max(0.0, (steps - step) / (steps - climb))
