"""What a reader of a Holmes report should know beside the scores."""

from collections.abc import Iterator, Sequence

from posprobe.analysis.holmes import OTHER, DatasetScore
from posprobe.data.holmes.map import flash_holmes_places

_NAMED = 5
"""Data sets named in a note before it only counts them."""


def holmes_notes(scores: Sequence[DatasetScore]) -> tuple[str, ...]:
    """Say how much of Flash-Holmes was measured, what the map does not know, what was cut.

    Args:
        scores: The scores of all data sets.
    """
    return tuple(_notes(scores))


def _notes(scores: Sequence[DatasetScore]) -> Iterator[str]:
    places = flash_holmes_places()
    here = {(score.field, score.phenomenon) for score in scores} & places
    yield (
        f"The data sets are of {len(here)} of the {len(places)} phenomena on the leaderboard of "
        "Flash-Holmes. arXiv 2605.30022 counts 65; which one it leaves out is not known."
    )
    unknown = dict.fromkeys(score.dataset for score in scores if score.field == OTHER)
    if unknown:
        yield (
            f"{len(unknown)} data sets are not in the map and each count as a phenomenon of "
            f"the field “{OTHER}”: {_listed(list(unknown))}."
        )
    # The same for every place, so the first one speaks for all.
    first = {(s.checkpoint, s.condition, s.dataset): s for s in reversed(scores)}.values()
    for name in dict.fromkeys(score.checkpoint for score in scores):
        own = [s for s in first if s.checkpoint == name and s.condition == "checkpoint"]
        cut, left = (sum(getattr(s, what) for s in own) for what in ("truncated", "left_out"))
        if cut or left:
            yield (
                f"{name}: {cut} samples have a text longer than what is read, which was cut; "
                f"{left} have a span without a token in what is left, and were not used."
            )


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
