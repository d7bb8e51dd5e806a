"""Answering equations."""

import numpy as np
import torch
from torch import nn

from posprobe.training.equation_table import EquationTable


def exact_match(
    model: nn.Module,
    equations: EquationTable,
    *,
    batch_size: int = 256,
    device: torch.device | None = None,
) -> dict[str, float]:
    """Count the equations that a model answers right in every character, the end included.

    The answer is the one that always taking the likeliest token gives. To find out whether that
    is right it is not necessary to write it: it is if and only if, with the right answer so far
    before it, each next token is right. That is one forward pass instead of one per token.

    Args:
        model: A decoder.
        equations: The questions and their answers.
        batch_size: Equations per forward pass.
        device: Where the model is. None: the CPU.

    Returns:
        `exact_match`, the share of whole answers that are right; `characters`, the share of
        right characters, each with the right ones before it.
    """
    whole = right = total = 0
    for first in range(0, len(equations), batch_size):
        rows = np.arange(first, min(first + batch_size, len(equations)))
        lesson = equations.lesson(rows, answers_only=True).to(device or torch.device("cpu"))
        with torch.no_grad():
            logits = model(lesson.tokens, lesson.mask, at=lesson.at)
        hits = (logits.argmax(-1) == lesson.targets).cpu()
        missed = torch.zeros(len(rows), dtype=torch.bool)
        missed[(lesson.at.cpu() // lesson.tokens.shape[1])[~hits]] = True
        whole += int((~missed).sum())
        right += int(hits.sum())
        total += len(hits)
    return {"exact_match": whole / len(equations), "characters": right / total}
