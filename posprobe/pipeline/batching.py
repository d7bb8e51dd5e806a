"""Cutting tokens into the batches that a model can be run on."""

from collections.abc import Iterator

import numpy as np

from posprobe.core.options import RunOptions
from posprobe.data.batches import Batch, batches
from posprobe.data.token_set import TokenSet
from posprobe.models.protocol import Model
from posprobe.pipeline.parts import Part
from posprobe.pipeline.progress import Progress


def model_batches(
    model: Model,
    tokens: TokenSet,
    chosen: RunOptions,
    progress: Progress,
    *,
    what: str,
    part: Part | None = None,
) -> Iterator[Batch]:
    """Batch tokens by length, without padding where the model is moved by it.

    Args:
        model: What is run.
        tokens: What it is run on.
        chosen: Says how many sequences make a batch.
        progress: Shown how many batches are done.
        what: What is being done, in a few words.
        part: The part to give. None: all.
    """
    alone = model.info.equal_lengths
    found = batches(
        tokens, batch_size=chosen.batch_size, pad_id=model.info.pad_id, equal_length=alone
    )
    # Counted, not listed: a list would hold the whole corpus as padded tensors.
    groups = np.unique(tokens.lengths, return_counts=True)[1] if alone else [len(tokens)]
    total = sum(-(-int(n) // chosen.batch_size) for n in groups)
    if part is not None:
        found, total = part.take(found), len(range(part.number, total, part.of))
    return progress(found, total=total, what=what)
