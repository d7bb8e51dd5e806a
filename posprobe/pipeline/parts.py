"""Cutting the corpus of a measurement into parts."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


class PartDone(Exception):  # noqa: N818 - an answer, not an error
    """A part has been summed and kept; the result wants the others as well."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part of a corpus, in one of the stages of a measure.

    A part is every so many-th batch of the whole corpus, not a corpus of its own: each batch
    has the same documents, the same padding and the same numbers of its documents however many
    parts there are, so that a model answers with the same bits. Batches come longest first;
    taking every so many-th gives each part long and short ones.

    Attributes:
        number: Which part, from 0.
        of: How many there are.
        stage: Which sums are made; the parts of earlier stages must be there.
    """

    number: int
    of: int
    stage: str

    def take(self, items: Iterator[T]) -> Iterator[T]:
        """Pick what belongs to this part.

        >>> list(Part(number=1, of=3, stage="sums").take(iter("abcdefg")))
        ['b', 'e']
        """
        return islice(items, self.number, None, self.of)


@dataclass(frozen=True, kw_only=True)
class _Cut:
    parts: int
    part: Part | None = None


_WHOLE = _Cut(parts=1)
_cut: ContextVar[_Cut] = ContextVar("cut", default=_WHOLE)


@contextmanager
def cut_into(parts: int, part: Part | None = None) -> Iterator[None]:
    """Within, the corpus of a measurement is cut, and `summed` sums one part or merges all.

    Args:
        parts: How many; of one nothing is cut.
        part: The part to sum. None: all parts have been summed and are merged.
    """
    token = _cut.set(_Cut(parts=parts, part=part))
    try:
        yield
    finally:
        _cut.reset(token)


def how_many_parts() -> int:
    """Return into how many parts the corpus is cut."""
    return _cut.get().parts


def the_part() -> Part | None:
    """Return the part that is summed, in place of a result; None if there is to be a result."""
    return _cut.get().part
