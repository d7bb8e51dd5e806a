"""Filling sums over a corpus, or merging what others have summed of its parts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from posprobe.core.arrays import Arrays, joined, split
from posprobe.core.cache import Cache
from posprobe.core.errors import UserError
from posprobe.pipeline.parts import Part, PartDone, how_many_parts, the_part

NOWHERE = "parts: POSPROBE_CACHE is empty, so that their sums have nowhere to lie; name a folder"


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


_place: ContextVar[Place] = ContextVar("place")


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
    parts, part = how_many_parts(), the_part()
    if parts == 1:
        add(None)
        return
    place = _place.get()
    name = "-".join([stage, *condition.split()])
    files = [f"{name}-{number + 1}-of-{parts}" for number in range(parts)]
    if part is None or part.stage != stage:
        _merge_all(sums, place, files)
        return
    file = files[part.number]
    if place.again or _load(place, file) is None:
        add(part)
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
        _add(sums, empty, arrays)
        del arrays  # Before the next is read: a part can be as large as the whole.


def _add(sums: Mapping[str, Sums], empty: Mapping[str, Sums], arrays: Arrays) -> None:
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
