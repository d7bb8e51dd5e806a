"""What a training set must offer the loop."""

from typing import Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Int
from torch import nn

from posprobe.core.provenance import TokenSource
from posprobe.data.tokenizer import Tokenizer
from posprobe.training.lesson import Lesson


@runtime_checkable
class Lessons(Protocol):
    """Samples to learn from, and others to be examined on.

    Attributes:
        tokenizer: What made the token ids.
        source: Name, hash and counts of the training samples.
        longest: Tokens of the longest of them.
    """

    tokenizer: Tokenizer
    source: TokenSource
    longest: int

    def __len__(self) -> int:
        """Return the number of training samples."""
        ...

    def lesson(self, rows: Int[np.ndarray, " batch"], epochs: Int[np.ndarray, " batch"]) -> Lesson:
        """Return the forward pass on these samples, each as it is in its epoch."""
        ...

    def evaluate(self, model: nn.Module, device: torch.device) -> dict[str, float]:
        """Return the numbers on what is held out; they depend on the weights alone."""
        ...
