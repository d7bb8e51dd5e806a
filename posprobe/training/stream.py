"""Which samples each step takes, from the step's number alone."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Int


@dataclass(frozen=True, kw_only=True)
class Stream:
    """An endless walk over the samples, in a new order each epoch.

    Nothing is remembered between steps, so that a resumed training needs no state, and N
    processes with batches of B see together what one with batches of N·B sees.

    Attributes:
        samples: How many there are.
        batch_size: Samples per process in one forward pass.
        accumulation: Forward passes per process in one step.
        processes: How many processes there are.
        process: Which of them this is, from 0.
        seed: Seed of the training.
    """

    samples: int
    batch_size: int
    accumulation: int = 1
    processes: int = 1
    process: int = 0
    seed: int = 0

    @property
    def per_step(self) -> int:
        """Samples in one step of all processes together."""
        return self.batch_size * self.accumulation * self.processes

    def step(self, step: int) -> list[tuple[Int[np.ndarray, " batch"], Int[np.ndarray, " batch"]]]:
        """Return the samples of each forward pass of this process, and their epochs.

        Args:
            step: Number of the step, from 0.
        """
        passes = []
        for index in range(self.accumulation):
            first = step * self.per_step
            first += (index * self.processes + self.process) * self.batch_size
            epochs, places = np.divmod(np.arange(first, first + self.batch_size), self.samples)
            rows = np.array([self._order(int(e))[p] for e, p in zip(epochs, places, strict=True)])
            passes.append((rows, epochs))
        return passes

    def _order(self, epoch: int) -> np.ndarray:
        return _permutation(self.samples, self.seed, epoch)


@lru_cache(maxsize=4)
def _permutation(samples: int, seed: int, epoch: int) -> np.ndarray:
    return np.random.default_rng([seed, epoch]).permutation(samples)
