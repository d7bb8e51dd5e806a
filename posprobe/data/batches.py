"""Batches of token ids, as models take them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor

from posprobe.core.errors import CorpusError
from posprobe.data.token_set import TokenSet


@dataclass(frozen=True, kw_only=True, eq=False)
class Batch:
    """Sequences side by side, padded at the right to the longest of them.

    Attributes:
        tokens: Token ids; padding where `mask` is False.
        mask: True on tokens of the sequence.
        text_mask: True on tokens that are text: in `mask`, and not special.
        documents: Which sequence of the token set each row is, from 0.
    """

    tokens: Int[Tensor, "batch pos"]
    mask: Bool[Tensor, "batch pos"]
    text_mask: Bool[Tensor, "batch pos"]
    documents: Int[Tensor, " batch"]

    def __len__(self) -> int:
        return self.tokens.shape[0]


def batches(
    sequences: TokenSet,
    *,
    batch_size: int,
    pad_id: int | None = None,
    by_length: bool = True,
    equal_length: bool = False,
) -> Iterator[Batch]:
    """Group sequences into batches, always in the same order.

    Args:
        sequences: The token ids.
        batch_size: Most sequences in a batch, at least 1.
        pad_id: What stands in the padding. None: 0, for models without a padding token;
            the mask hides it.
        by_length: Whether neighbours in length share a batch, longest first, so that
            little is padding and a batch that does not fit in memory comes first. False:
            the order of the corpus.
        equal_length: Whether only sequences of equal length share a batch, so that there
            is no padding at all. Models whose relative bias depends on the padded block
            need this. Batches then come longest first, whatever `by_length` says.

    Returns:
        The batches, built while they are asked for; each sequence is in exactly one.

    Raises:
        CorpusError: If `batch_size` is below 1.
    """
    if batch_size < 1:
        raise CorpusError(f"batch_size={batch_size} must be at least 1")
    lengths = sequences.lengths
    order = np.arange(len(sequences))
    if by_length or equal_length:
        order = np.argsort(-lengths, kind="stable")
    # Without equal_length all sequences form one group, which is cut into batches.
    cuts = np.flatnonzero(np.diff(lengths[order])) + 1 if equal_length else []
    special = torch.tensor(sequences.special_ids, dtype=torch.long)
    return (
        _batch(sequences, group[start : start + batch_size], pad_id or 0, special)
        for group in np.split(order, cuts)
        for start in range(0, len(group), batch_size)
    )


def _batch(
    sequences: TokenSet, rows: Int[np.ndarray, " batch"], pad_id: int, special: Tensor
) -> Batch:
    lengths = torch.from_numpy(sequences.lengths[rows])
    mask = torch.arange(int(lengths.max())) < lengths[:, None]
    tokens = torch.full(mask.shape, pad_id)
    tokens[mask] = torch.from_numpy(
        np.concatenate([sequences[row] for row in rows.tolist()])
    ).long()
    return Batch(
        tokens=tokens,
        mask=mask,
        text_mask=mask & ~torch.isin(tokens, special),
        documents=torch.from_numpy(rows),
    )
