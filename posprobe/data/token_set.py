"""The token ids of a corpus, one after the other."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

import numpy as np
from jaxtyping import Int

from posprobe.core.provenance import TokenSource


@dataclass(frozen=True, kw_only=True, eq=False)
class TokenSet:
    """Sequences of token ids, kept in one flat array.

    Attributes:
        name: What was read: a file, a generated corpus or a task.
        ids: The ids of all sequences in a row.
        lengths: Tokens of each sequence, special ones included.
        documents: Which document of the stream each sequence is, from 0; gaps are
            documents that were too short.
        special_ids: Ids that are not text.
        truncated: How many kept documents were cut at the context.
        too_short: How many documents were left out for want of tokens.
    """

    name: str
    ids: Int[np.ndarray, " pos"]
    lengths: Int[np.ndarray, " sample"]
    documents: Int[np.ndarray, " sample"]
    special_ids: tuple[int, ...] = ()
    truncated: int = 0
    too_short: int = 0

    def __post_init__(self) -> None:
        assert self.lengths.sum() == self.ids.size
        assert self.documents.size == self.lengths.size

    @classmethod
    def from_rows(
        cls, rows: Int[np.ndarray, "sample pos"], *, name: str, special_ids: tuple[int, ...] = ()
    ) -> "TokenSet":
        """Hold sequences of equal length, such as random tokens."""
        n, length = rows.shape
        return cls(
            name=name,
            ids=rows.ravel(),
            lengths=np.full(n, length),
            documents=np.arange(n),
            special_ids=special_ids,
        )

    def __len__(self) -> int:
        return self.lengths.size

    def __getitem__(self, index: int) -> Int[np.ndarray, " pos"]:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self.ids[self._starts[index] : self._starts[index + 1]]

    @property
    def longest(self) -> int:
        """Tokens of the longest sequence."""
        return int(self.lengths.max())

    @cached_property
    def source(self) -> TokenSource:
        """The counts and the hash that a report quotes.

        The hash covers, for each sequence in order, its length and its ids as 64-bit
        little-endian integers.
        """
        digest = sha256()
        for sequence in self:
            digest.update(np.array([sequence.size, *sequence], dtype="<i8").tobytes())
        return TokenSource(
            name=self.name,
            sha256=digest.hexdigest(),
            documents=len(self),
            tokens=int(self.ids.size),
            truncated=self.truncated,
            too_short=self.too_short,
            special_ids=self.special_ids,
        )

    @cached_property
    def _starts(self) -> np.ndarray:
        return np.concatenate([[0], np.cumsum(self.lengths)])
