"""Scores of probes that belong on one line: one target read from one place, layer by layer."""

from collections.abc import Iterable
from dataclasses import dataclass

from posprobe.analysis.probes import ProbeScore, ProbesResult
from posprobe.figures.sites import place

TRAINED = "checkpoint"
"""The condition that is not a control."""

_EMBEDDING = -1

Asked = tuple[str, str]
"""A target and the kind of probe that reads it."""


@dataclass(frozen=True, kw_only=True)
class Owner:
    """Whose states are read.

    Attributes:
        checkpoint: The model; one that is measured with random weights only says so.
        stream: `whole`, `ap` or `sem`.
        place: Hook name without its block and stream.
    """

    checkpoint: str
    stream: str
    place: str


@dataclass(frozen=True, kw_only=True)
class Track:
    """One target read by one kind of probe from one feature of one owner.

    Attributes:
        owner: Whose states are read.
        target: Name of the target.
        probe: Kind of probe.
        feature: What of the state is read.
        scores: By layer; those that have no layer stand last.
        init: For each of them the same at random initialisation; None where not measured.
    """

    owner: Owner
    target: str
    probe: str
    feature: str
    scores: tuple[ProbeScore, ...]
    init: tuple[ProbeScore | None, ...]

    @property
    def defined(self) -> tuple[ProbeScore, ...]:
        """The scores that there are."""
        return tuple(score for score in self.scores if score.undefined is None)

    @property
    def drawn(self) -> bool:
        """Whether there is a score to draw above a layer."""
        return any(score.layer is not None for score in self.defined)

    @property
    def best(self) -> ProbeScore:
        """The highest score, the first of several; where none is defined, one of those."""
        return max(self.defined or self.scores[:1], key=lambda score: score.headline.value)

    @property
    def last(self) -> ProbeScore:
        """The score in the last layer."""
        layered = tuple(score for score in self.scores if score.layer is not None)
        return (layered or self.scores)[-1]

    def random(self, score: ProbeScore) -> ProbeScore | None:
        """Return what random weights give where this score is from."""
        return self.init[self.scores.index(score)]


def tracks(result: ProbesResult) -> tuple[Track, ...]:
    """Gather scores into lines, by target in the order asked for.

    Every place of a model starts from its token embedding.

    Args:
        result: Scores by checkpoint, site, stream, feature and target.
    """
    trained = {score.checkpoint for score in result.scores if score.condition == TRAINED}
    # An architecture without a checkpoint has random weights only, which are no control then.
    main = [s for s in result.scores if s.condition == TRAINED or s.checkpoint not in trained]
    init = {_measured(s): s for s in result.scores if s.condition != TRAINED}
    found = [
        Track(
            owner=_owner(scores[0], where),
            target=scores[0].target,
            probe=scores[0].probe,
            feature=scores[0].feature,
            scores=scores,
            init=tuple(init.get(_measured(s)) if s.condition == TRAINED else None for s in scores),
        )
        for where, scores in _lines(main)
    ]
    order = {target: index for index, target in enumerate(result.targets)}
    return tuple(sorted(found, key=lambda track: order.get(track.target, len(order))))


def owner_names(owners: tuple[Owner, ...], *, streams: bool = True) -> dict[Owner, str]:
    """Name owners by the parts that tell them apart.

    Args:
        owners: The owners that stand beside each other.
        streams: Whether to name the stream.
    """
    several = {owner.checkpoint for owner in owners if owner.stream != "whole"}
    checkpoints = len({owner.checkpoint for owner in owners}) > 1
    places = len({owner.place for owner in owners}) > 1
    names = {}
    for owner in owners:
        # A model without streams is known by its name alone.
        stream = streams and owner.checkpoint in several
        parts = [owner.checkpoint] if checkpoints else []
        parts += [owner.stream] if stream else []
        parts += [owner.place] if places else []
        names[owner] = ", ".join(parts) or owner.checkpoint
    return names


def by_question(lines: Iterable[Track]) -> dict[Asked, tuple[Track, ...]]:
    """Return the lines of each target and kind of probe.

    Args:
        lines: Any lines.
    """
    groups: dict[Asked, list[Track]] = {}
    for track in lines:
        groups.setdefault((track.target, track.probe), []).append(track)
    return {asked: tuple(own) for asked, own in groups.items()}


def owners_of(lines: tuple[Track, ...]) -> tuple[Owner, ...]:
    """Return the owners of these lines, each once and in order."""
    return tuple(dict.fromkeys(track.owner for track in lines))


def _owner(score: ProbeScore, where: str) -> Owner:
    random = "" if score.condition == TRAINED else f" ({score.condition})"
    return Owner(checkpoint=score.checkpoint + random, stream=score.stream, place=where)


def _lines(scores: list[ProbeScore]) -> list[tuple[str, tuple[ProbeScore, ...]]]:
    groups: dict[tuple[str, ...], list[ProbeScore]] = {}
    for score in scores:
        key = (score.target, score.probe, score.checkpoint, score.stream, score.feature)
        groups.setdefault(key, []).append(score)
    return [line for group in groups.values() for line in _by_place(group)]


def _by_place(scores: list[ProbeScore]) -> list[tuple[str, tuple[ProbeScore, ...]]]:
    embedded = [score for score in scores if score.layer == _EMBEDDING]
    places: dict[str, list[ProbeScore]] = {}
    for score in [s for s in scores if s.layer != _EMBEDDING] or embedded:
        places.setdefault(_place(score), []).append(score)
    return [
        (where, tuple(sorted(_with(embedded, own), key=_depth))) for where, own in places.items()
    ]


def _with(embedded: list[ProbeScore], own: list[ProbeScore]) -> list[ProbeScore]:
    layered = own[0].layer not in (None, _EMBEDDING)
    return [*embedded, *own] if layered else own


def _place(score: ProbeScore) -> str:
    return place(score.site).removesuffix(f"_{score.stream}")


def _depth(score: ProbeScore) -> float:
    return float("inf") if score.layer is None else score.layer


def _measured(score: ProbeScore) -> tuple[str, ...]:
    names = ("checkpoint", "site", "stream", "feature", "target", "probe")
    return tuple(getattr(score, name) for name in names)
