"""A data set of the Holmes benchmark: texts, places in them, and labels."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float, Int

Kind = Literal["class", "number"]
Split = Literal["train", "dev", "test"]

SPLITS: tuple[Split, ...] = ("train", "dev", "test")


@dataclass(frozen=True)
class Span:
    """A stretch of a text, or all of it.

    Attributes:
        text: Which of the data set's texts.
        start: First character; -1 for the whole text.
        end: One more than the last character; -1 for the whole text.
    """

    text: int
    start: int = -1
    end: int = -1


Part = tuple[Span, ...]
"""Spans whose states are averaged into one vector."""


@dataclass(frozen=True, kw_only=True, eq=False)
class HolmesDataset:
    """Samples that a probe learns from, is stopped by, and is examined on.

    Attributes:
        name: Name of its folder.
        kind: Whether labels are classes or numbers.
        texts: The different texts, in the order met.
        samples: The parts of each sample, the same number in all; their vectors are put one after
            the other.
        labels: The label of each sample: an index into `classes`, or the number.
        classes: The different labels, in order; empty for numbers.
        split: Which of `SPLITS` each sample belongs to.
        sha256: Hash of the files.
        unused: Rows that belong to no split.
    """

    name: str
    kind: Kind
    texts: tuple[str, ...]
    samples: tuple[tuple[Part, ...], ...]
    labels: Int[np.ndarray, " sample"] | Float[np.ndarray, " sample"]
    classes: tuple[str, ...]
    split: Int[np.ndarray, " sample"]
    sha256: str
    unused: int = 0

    def __len__(self) -> int:
        return len(self.samples)

    def sizes(self) -> tuple[int, int, int]:
        """Return how many samples are for training, stopping and examining."""
        train, dev, test = (int((self.split == part).sum()) for part in range(len(SPLITS)))
        return train, dev, test
