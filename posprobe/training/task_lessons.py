"""Equations of a symbolic task, for decoders."""

import numpy as np
import torch
from jaxtyping import Int
from torch import nn

from posprobe.data.tokenizer import Tokenizer
from posprobe.training.equation_table import EquationTable
from posprobe.training.evaluate import exact_match
from posprobe.training.lesson import Lesson


class TaskLessons:
    """Equations to learn from and others to answer; see `Lessons`.

    Args:
        train: The equations to learn from.
        test: Those to answer.
        tokenizer: Their tokenizer.
        answers_only: Whether the answers alone are learned.
    """

    def __init__(
        self,
        train: EquationTable,
        test: EquationTable,
        tokenizer: Tokenizer,
        *,
        answers_only: bool = False,
    ) -> None:
        self.tokenizer = tokenizer
        self._answers_only = answers_only
        self.source, self.longest = train.source, train.longest
        self._train, self._test = train, test

    def __len__(self) -> int:
        return len(self._train)

    def lesson(self, rows: Int[np.ndarray, " batch"], epochs: Int[np.ndarray, " batch"]) -> Lesson:
        """Return these equations, which are the same in every epoch."""
        return self._train.lesson(rows, answers_only=self._answers_only)

    def evaluate(self, model: nn.Module, device: torch.device) -> dict[str, float]:
        """Return the share of right answers."""
        return exact_match(model, self._test, device=device)
