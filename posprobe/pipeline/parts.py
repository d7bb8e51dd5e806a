"""Cutting the corpus of a measurement into parts that are summed apart and merged."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from copy import deepcopy
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, TypeVar, runtime_checkable

from posprobe.core.arrays import Arrays, joined, split
from posprobe.core.cache import Cache
from posprobe.core.errors import UserError

T = TypeVar("T")

NOWHERE = "parts: POSPROBE_CACHE is empty, so that their sums have nowhere to lie; name a folder"


class PartDone(Exception):  # noqa: N818 - an answer, not an error
    """A part has been summed and kept; the result wants the others as well."""


@runtime_checkable
class Sums(Protocol):
    """Sums over documents that can be written down, read back and added up."""

    def merge(self, other: Any) -> None:
        """Add what another one has summed."""
        ...

    def arrays(self) -> Arrays:
        """Return all that was summed, for `restore`."""
        ...

    def restore(self, arrays: Arrays) -> None:
        """Take the place of the one whose `arrays` these are."""
        ...


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
class Place:
    """Where the sums of parts lie: beside what they lead to.

    Attributes:
        cache: The cache.
        measure: The measure.
        key: All that decides the result, the number of parts among it.
        again: Whether a part that lies there is summed again.
    """

    cache: Cache | None
    measure: str
    key: dict[str, Any]
    again: bool


@dataclass(frozen=True, kw_only=True)
class _Cut:
    parts: int
    part: Part | None = None


_WHOLE = _Cut(parts=1)
_cut: ContextVar[_Cut] = ContextVar("cut", default=_WHOLE)
_place: ContextVar[Place] = ContextVar("place")


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


def only_a_part() -> bool:
    """Tell whether one part is summed, so that there is no result."""
    return _cut.get().part is not None


@contextmanager
def kept_at(place: Place) -> Iterator[None]:
    """Within, `summed` keeps and finds parts there."""
    token = _place.set(place)
    try:
        yield
    finally:
        _place.reset(token)


def summed(
    sums: Mapping[str, Sums],
    add: Callable[[Part | None], None],
    *,
    stage: str = "sums",
    condition: str = "",
) -> None:
    """Fill empty sums over a corpus: here, or from the parts that others have summed.

    Parts are merged in their order, so that the sums do not depend on who summed them.

    Args:
        sums: What is filled, by name.
        add: Fills it with one part; with None, with everything.
        stage: What to call these sums, where a measure has several in a row.
        condition: Which model they are of, where a stage has several.

    Raises:
        PartDone: If a part was summed in place of all.
        UserError: If a part cannot be kept or found.
    """
    cut = _cut.get()
    if cut.parts == 1:
        add(None)
        return
    place = _place.get()
    files = [
        "-".join([*f"{stage} {condition}".split(), f"{number + 1}-of-{cut.parts}"])
        for number in range(cut.parts)
    ]
    if cut.part is None or cut.part.stage != stage:
        _merge_all(sums, place, files)
        return
    file = files[cut.part.number]
    if place.again or _load(place, file) is None:
        add(cut.part)
        _save(sums, place, file)
    raise PartDone


def _merge_all(sums: Mapping[str, Sums], place: Place, files: Sequence[str]) -> None:
    empty = deepcopy(sums)
    for number, file in enumerate(files):
        arrays = _load(place, file)
        if arrays is None:
            folder = place.cache.folder if place.cache else "the cache"
            raise UserError(
                f"part {number + 1} of {len(files)} is not in {folder}; workers need the folder "
                "of the cache on a disk they share"
            )
        found = split(arrays)
        for name, own in sums.items():
            other = deepcopy(empty[name])
            other.restore(found.get(name, {}))
            own.merge(other)


def _load(place: Place, file: str) -> Arrays | None:
    if place.cache is None:
        return None
    return place.cache.load_arrays(place.measure, place.key, file)


def _save(sums: Mapping[str, Sums], place: Place, file: str) -> None:
    if place.cache is None:
        raise UserError(NOWHERE)
    arrays = joined({name: own.arrays() for name, own in sums.items()})
    try:
        place.cache.save_arrays(place.measure, place.key, file, arrays)
    except OSError as error:
        raise UserError(f"{place.cache.folder}: a part cannot be kept there ({error})") from error
