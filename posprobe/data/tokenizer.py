"""What posprobe asks of a tokenizer."""

from pathlib import Path
from typing import Protocol, runtime_checkable


@runtime_checkable
class Tokenizer(Protocol):
    """Turns text into token ids and back.

    Attributes:
        name: Where it came from, for the report.
        size: Number of token ids, special ones included.
        pad_id: The padding token, or None.
        special_ids: Ids that are not text: padding, start, end, mask.
    """

    name: str
    size: int
    pad_id: int | None
    special_ids: tuple[int, ...]

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text`, with the special tokens that the model expects.

        Raises:
            CorpusError: If the text has a character that the vocabulary lacks.
        """
        ...

    def decode(self, ids: list[int]) -> list[str]:
        """Return one printable string per id."""
        ...

    def save(self, path: Path) -> Path:
        """Write the one file that this tokenizer can be read from again."""
        ...


@runtime_checkable
class OffsetTokenizer(Tokenizer, Protocol):
    """A tokenizer that knows where in the text each of its tokens stands."""

    def encode_with_offsets(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the ids of `text`, and the first and last + 1 character of each token.

        A token that is not in the text, such as [CLS], has the offsets (-1, -1).
        """
        ...
