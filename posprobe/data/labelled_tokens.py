"""The token ids of a corpus with what is known of each token."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np
from jaxtyping import Bool, Int
from torch import Tensor

from posprobe.core.errors import CorpusError
from posprobe.data.batches import Batch
from posprobe.data.documents import Document
from posprobe.data.probe_targets import ProbeTargets, probe_targets
from posprobe.data.token_set import TokenSet
from posprobe.data.tokenizer import OffsetTokenizer

SHORTEST = 3
"""Tokens of the shortest document worth keeping: of fewer, none is before or after others."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelledTokens:
    """Sequences of token ids with labels, four bytes each.

    Attributes:
        tokens: The ids.
        counted: Which tokens are probed.
        labels: One row per target; see `ProbeTargets`.
        targets: Names of the targets.
    """

    tokens: TokenSet
    counted: Bool[np.ndarray, " pos"]
    labels: Int[np.ndarray, "target pos"]
    targets: tuple[str, ...]

    @cached_property
    def document(self) -> Int[np.ndarray, " pos"]:
        """Which sequence each token is in, from 0."""
        return np.repeat(np.arange(len(self.tokens)), self.tokens.lengths)

    def subset(self, kept: Bool[np.ndarray, " sample"]) -> "LabelledTokens":
        """Keep some of the sequences."""
        tokens, places = self.tokens, np.repeat(kept, self.tokens.lengths)
        some = replace(
            tokens,
            ids=tokens.ids[places],
            lengths=tokens.lengths[kept],
            documents=tokens.documents[kept],
        )
        return replace(
            self, tokens=some, counted=self.counted[places], labels=self.labels[:, places]
        )

    def counted_in(
        self, batch: Batch
    ) -> tuple[Bool[Tensor, "batch pos"], Int[np.ndarray, " sample"]]:
        """Find the counted tokens of a batch of these sequences.

        Returns:
            Where they are in the batch, and, in the same order, where in `labels`.
        """
        starts = np.cumsum(self.tokens.lengths) - self.tokens.lengths
        width = np.arange(batch.tokens.shape[1])
        places = starts[batch.documents.numpy()][:, None] + width
        # Padding is nowhere; its mask is False whatever is looked up for it.
        there = self.counted[np.minimum(places, self.counted.size - 1)] & batch.mask.numpy()
        return batch.mask.new_tensor(there), places[there]


def label_documents(
    documents: Iterable[Document],
    tokenizer: OffsetTokenizer,
    *,
    name: str,
    targets: Sequence[str],
    special_ids: Sequence[int],
    n_ctx: int,
    limit: int,
) -> LabelledTokens:
    """Turn the first documents of a stream into token ids with labels.

    Unlike `encode_documents`, it reads no further where a document is too short, so that every
    tokenizer sees the same documents.

    Args:
        documents: A stream.
        tokenizer: The model's.
        name: What is read, for the report.
        targets: Names from `target_names.TARGETS`.
        special_ids: Tokens that are not text.
        n_ctx: Longest sequence; a longer document is cut.
        limit: How many documents are read, at most.

    Raises:
        CorpusError: If a document cannot be spelled or lacks what a target needs, or none has
            three counted tokens.
    """
    stream = _named_errors(
        islice(documents, limit),
        lambda document: probe_targets(
            document, tokenizer, targets=targets, special_ids=special_ids, n_ctx=n_ctx
        ),
    )
    read = list(stream)
    kept = [index for index, item in enumerate(read) if item.counted.sum() >= SHORTEST]
    if not kept:
        raise CorpusError(
            f"corpus {name}: none of {len(read)} documents has {SHORTEST} tokens that are in a "
            "sentence; give longer documents"
        )
    found = [read[index] for index in kept]
    tokens = TokenSet(
        name=name,
        ids=np.concatenate([item.ids for item in found]),
        lengths=np.array([item.ids.size for item in found]),
        documents=np.array(kept),
        special_ids=tuple(special_ids),
        truncated=sum(item.cut for item in found),
        too_short=len(read) - len(found),
    )
    return LabelledTokens(
        tokens=tokens,
        counted=np.concatenate([item.counted for item in found]),
        labels=np.concatenate([item.labels for item in found], axis=1),
        targets=tuple(targets),
    )


def _named_errors(
    documents: Iterable[Document], label: Callable[[Document], ProbeTargets]
) -> Iterator[ProbeTargets]:
    for index, document in enumerate(documents):
        try:
            yield label(document)
        except CorpusError as error:
            raise CorpusError(f"{document.name or f'document {index}'}: {error}") from error
