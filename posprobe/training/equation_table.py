"""Equations as token ids, and what is to be predicted of them."""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Int

from posprobe.data.encoding import encode_prompts
from posprobe.data.equations import Equation
from posprobe.data.tokenizer import Tokenizer
from posprobe.training.lesson import Lesson

FILLER = "\n"
"""What ends a line, and what stands in place of an answer that must not be seen."""


class EquationTable:
    """Equations, one a sequence, each closed by a newline.

    A causal model predicts each next token of the line. One that sees ahead reads the prompt
    with newlines in place of all that follows, and predicts that in one go.

    Args:
        equations: The equations.
        tokenizer: One token per character.
        name: The task, for the report.
        n_ctx: Longest line that the model takes; None: any.
        causal: Whether the model sees only what precedes a token.

    Attributes:
        source: Name, hash and counts.
        longest: Tokens of the longest line.
    """

    def __init__(
        self,
        equations: Sequence[Equation],
        tokenizer: Tokenizer,
        *,
        name: str,
        causal: bool,
        n_ctx: int | None = None,
    ) -> None:
        lines = [equation.line + FILLER for equation in equations]
        n_ctx = n_ctx or max(map(len, lines))
        tokens = encode_prompts(lines, tokenizer, name=name, n_ctx=n_ctx)
        self.source, self.longest, self._causal = tokens.source, tokens.longest, causal
        self._filler = tokenizer.encode(FILLER)[0]
        self._lengths = tokens.lengths
        self._prompts = np.array([len(equation.prompt) for equation in equations])
        self._ids = np.full((len(lines), self.longest), self._filler, dtype=np.int32)
        self._ids[np.arange(self.longest) < self._lengths[:, None]] = tokens.ids

    def __len__(self) -> int:
        return len(self._lengths)

    def lesson(self, rows: Int[np.ndarray, " batch"], *, answers_only: bool = False) -> Lesson:
        """Return these lines and what to predict of them.

        Args:
            rows: Which equations.
            answers_only: Whether a causal model predicts the answers and ends only.
        """
        own, prompts = self._lengths[rows], self._prompts[rows]
        ids = self._ids[rows, : own.max()].astype(np.int64)
        place = np.arange(ids.shape[1])
        answer = (place >= prompts[:, None]) & (place < own[:, None])
        if self._causal:
            # Padding at the right comes after everything that counts: no mask is needed.
            wanted = answer if answers_only else place < own[:, None]
            read, right, wanted, mask = ids[:, :-1], ids[:, 1:], wanted[:, 1:], None
        else:
            real = place < own[:, None]
            read, right, wanted = np.where(answer, self._filler, ids), ids, answer
            mask = None if real.all() else torch.from_numpy(real)
        at = np.flatnonzero(wanted)
        return Lesson(
            tokens=torch.from_numpy(np.ascontiguousarray(read)),
            mask=mask,
            at=torch.from_numpy(at),
            targets=torch.from_numpy(right.ravel()[at]),
            n_tokens=int(own.sum()),
        )
