"""Text for encoders."""

import numpy as np
import torch
from jaxtyping import Int
from torch import nn
from torch.nn.functional import cross_entropy

from posprobe.data.tokenizer import Tokenizer
from posprobe.training.lesson import Lesson
from posprobe.training.masked_documents import MaskedDocuments

_NEVER_TRAINED = -1


class TextLessons:
    """Documents to learn from and others to be examined on; see `Lessons`.

    Args:
        train: The documents to learn from.
        held_out: Those to be examined on.
        tokenizer: Their tokenizer.
        batch_size: Documents per forward pass of an evaluation.
    """

    def __init__(
        self,
        train: MaskedDocuments,
        held_out: MaskedDocuments,
        tokenizer: Tokenizer,
        *,
        batch_size: int,
    ) -> None:
        self.tokenizer = tokenizer
        self.source, self.longest = train.documents.source, train.documents.longest
        self._train, self._held_out, self._batch_size = train, held_out, batch_size

    def __len__(self) -> int:
        return len(self._train)

    def lesson(self, rows: Int[np.ndarray, " batch"], epochs: Int[np.ndarray, " batch"]) -> Lesson:
        """Return these documents, masked as they are in these epochs."""
        return self._train.lesson(rows, epochs)

    def evaluate(self, model: nn.Module, device: torch.device) -> dict[str, float]:
        """Return what the model makes of hidden tokens, always the same ones.

        Returns:
            `loss`, nats per hidden token, and `accuracy`, the share of them guessed right.
        """
        total, hidden, right = 0.0, 0, 0
        for first in range(0, len(self._held_out), self._batch_size):
            rows = np.arange(first, min(first + self._batch_size, len(self._held_out)))
            lesson = self._held_out.lesson(rows, np.full(len(rows), _NEVER_TRAINED)).to(device)
            with torch.no_grad():
                logits = model(lesson.tokens, lesson.mask, at=lesson.at).float()
            total += cross_entropy(logits, lesson.targets, reduction="sum").item()
            right += int((logits.argmax(-1) == lesson.targets).sum())
            hidden += len(lesson.targets)
        return {"loss": total / max(hidden, 1), "accuracy": right / max(hidden, 1)}
