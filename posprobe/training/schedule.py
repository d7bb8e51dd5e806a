"""The learning rate over a training."""

import math


def rate_at(step: int, *, steps: int, warmup: int, floor: float) -> float:
    """Return the learning rate of a step as a share of the highest one.

    It rises in a straight line over the warm-up, then falls along half a cosine.

    Args:
        step: Number of the step, from 0.
        steps: Steps of the whole training.
        warmup: Steps of the rise.
        floor: The share at which it ends, in [0, 1].

    >>> [rate_at(step, steps=10, warmup=2, floor=0.0) for step in (0, 1, 2, 6, 10)]
    [0.5, 1.0, 1.0, 0.5, 0.0]
    """
    if step < warmup:
        return (step + 1) / warmup
    done = min((step - warmup) / max(steps - warmup, 1), 1.0)
    return floor + (1 - floor) * (1 + math.cos(math.pi * done)) / 2
