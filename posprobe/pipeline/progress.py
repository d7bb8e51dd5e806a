"""How a long stage tells whoever called it how far it is."""

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar, runtime_checkable

T = TypeVar("T")


@runtime_checkable
class Progress(Protocol):
    """Passes items through and may show how many have gone by."""

    def __call__(self, items: Iterable[T], *, total: int, what: str) -> Iterator[T]:
        """Yield the items.

        Args:
            items: What is worked on.
            total: How many there are.
            what: What the work is, in a few words.
        """
        ...


def silent(items: Iterable[T], *, total: int, what: str) -> Iterator[T]:
    """Pass the items through and say nothing."""
    yield from items
