"""A fair draw from a stream of unknown length."""

from typing import Generic, TypeVar

import numpy as np

T = TypeVar("T")


class Reservoir(Generic[T]):
    """Keeps some items of a stream, each as likely to be kept as any other.

    >>> reservoir = Reservoir(2, np.random.default_rng(0))
    >>> for item in "abcdef":
    ...     reservoir.offer(item)
    >>> len(reservoir.items())
    2
    """

    def __init__(self, size: int, generator: np.random.Generator) -> None:
        """Begin empty.

        Args:
            size: Most items kept.
            generator: Decides which.
        """
        self._size, self._generator = size, generator
        self._kept: list[tuple[int, T]] = []
        self._offered = 0

    def offer(self, item: T) -> None:
        """Take an item into the draw."""
        entry = (self._offered, item)
        self._offered += 1
        if len(self._kept) < self._size:
            self._kept.append(entry)
            return
        place = int(self._generator.integers(self._offered))
        if place < self._size:
            self._kept[place] = entry

    def items(self) -> list[T]:
        """Return what was kept, in the order of the stream."""
        return [item for _, item in sorted(self._kept, key=lambda entry: entry[0])]
