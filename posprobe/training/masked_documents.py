"""Documents as they are shown to a masked language model."""

import numpy as np
import torch
from jaxtyping import Int

from posprobe.data.token_set import TokenSet
from posprobe.data.tokenizer import Tokenizer
from posprobe.training.lesson import Lesson
from posprobe.training.masking import Masking


class MaskedDocuments:
    """Documents, of which some tokens are hidden and are to be predicted.

    Args:
        documents: Token ids, one sequence a document.
        tokenizer: Says what is padding and what is not text, which is never hidden.
        masking: What is hidden, and how.
    """

    def __init__(self, documents: TokenSet, tokenizer: Tokenizer, masking: Masking) -> None:
        self.documents, self._masking = documents, masking
        self._pad = 0 if tokenizer.pad_id is None else tokenizer.pad_id
        self._is_text = ~np.isin(np.arange(tokenizer.size), tokenizer.special_ids)

    def __len__(self) -> int:
        return len(self.documents)

    def lesson(self, rows: Int[np.ndarray, " batch"], epochs: Int[np.ndarray, " batch"]) -> Lesson:
        """Return the forward pass on these documents.

        Args:
            rows: Which documents.
            epochs: How often each has been seen before; -1 in an evaluation.
        """
        lengths = self.documents.lengths[rows]
        real = np.arange(lengths.max()) < lengths[:, None]
        tokens = np.full(real.shape, self._pad, dtype=np.int64)
        tokens[real] = np.concatenate([self.documents[row] for row in rows.tolist()])
        seen, chosen = self._masking.apply(tokens, real & self._is_text[tokens], rows, epochs)
        at = np.flatnonzero(chosen)
        return Lesson(
            tokens=torch.from_numpy(seen),
            # The model is faster when it is told that nothing is padding.
            mask=None if real.all() else torch.from_numpy(real),
            at=torch.from_numpy(at),
            targets=torch.from_numpy(tokens.ravel()[at]),
            n_tokens=int(lengths.sum()),
        )
