"""Figures of what probes read, layer by layer."""

import math
from collections.abc import Iterable

from posprobe.analysis.probes import METRICS, ProbeScore, ProbesResult
from posprobe.figures.description import Axis, Figure, Panel
from posprobe.figures.ids import figure_id
from posprobe.figures.layer_axis import layer_axis
from posprobe.figures.probes_lines import Styled, control_lines, random_lines, score_lines
from posprobe.figures.probes_tracks import (
    Asked,
    Owner,
    Track,
    by_question,
    owner_names,
    owners_of,
    tracks,
)
from posprobe.figures.probes_words import PROBES, SCORES, STREAMS, target_words
from posprobe.figures.sites import layer_name
from posprobe.figures.words import decimal, upper_first

TOGETHER = "probe-layers"
"""The id of the figure of all targets, where one is enough."""

# With more lines in a panel they cover each other, and every stream gets its own.
_OWNERS = 5
# A probe can be worse than any number; what lies below is in the tables.
_FLOOR = -0.2
_READING = (
    "Bars are 95 % bootstrap intervals over documents. The thin lines are what a score has to "
    "beat: the same probe on the same architecture with random weights, the token's identity "
    "alone, and the target shuffled within each document."
)


def layer_groups(result: ProbesResult) -> dict[Asked, tuple[Track, ...]]:
    """Return the lines that are drawn by layer, by target and kind of probe.

    Args:
        result: Scores by checkpoint, site, stream, feature and target.
    """
    return by_question(t for t in tracks(result) if t.feature == "state" and t.drawn)


def layer_figures(result: ProbesResult) -> tuple[Figure, ...]:
    """Describe the scores by layer: a panel per target, or per target and stream.

    Args:
        result: Scores by checkpoint, site, stream, feature and target.

    Returns:
        One figure, or one per target where a panel could not hold all lines; nothing where no
        state of a layer could be read.
    """
    groups = layer_groups(result)
    owners = owners_of(tuple(track for lines in groups.values() for track in lines))
    if not groups:
        return ()
    if len(owners) <= _OWNERS:
        return (_together(groups, owners),)
    return tuple(_apart(groups, asked, owners) for asked in groups)


def layers_id(asked: Asked) -> str:
    """Return the id of the figure of one target, where each has its own.

    >>> layers_id(("to-end", "linear"))
    'probe-to-end-linear'
    """
    return figure_id("probe", *asked)


def _together(groups: dict[Asked, tuple[Track, ...]], owners: tuple[Owner, ...]) -> Figure:
    names, titles = owner_names(owners), _titles(groups)
    every = [track for lines in groups.values() for track in lines]
    panels = tuple(
        _panel(titles[asked], [_styled(track, names, owners) for track in lines], _low(every))
        for asked, lines in groups.items()
    )
    targets = [target_words(target) for target in dict.fromkeys(target for target, _ in groups)]
    return Figure(
        id=TOGETHER,
        title="Score by layer",
        caption=f"{_READING} What is read: "
        + "; ".join(f"{words.name}: {words.meaning}" for words in targets)
        + f".{_below(every)}",
        alt=" ".join(_sentence(titles[asked], lines, names) for asked, lines in groups.items()),
        panels=panels,
        columns=2 if len(panels) in (2, 4) else min(3, len(panels)),
        height=300 if len(panels) in (1, 2, 4) else 250,
    )


def _apart(
    groups: dict[Asked, tuple[Track, ...]], asked: Asked, owners: tuple[Owner, ...]
) -> Figure:
    title, lines = _titles(groups)[asked], groups[asked]
    several = len({owner.place for owner in owners}) > 1
    panels: dict[str, list[Track]] = {}
    for track in lines:
        stream = STREAMS.get(track.owner.stream, track.owner.stream)
        name = f"{stream}, {track.owner.place}" if several else stream
        panels.setdefault(name, []).append(track)
    reading = _READING if asked == next(iter(groups)) else "Bars and thin lines as above."
    checkpoints = tuple(dict.fromkeys(owner.checkpoint for owner in owners))
    return Figure(
        id=layers_id(asked),
        title=upper_first(title),
        caption=f"What is read is {target_words(asked[0]).meaning}. {reading}" + _below(lines),
        alt=_sentence(title, lines, owner_names(owners)),
        panels=tuple(
            _panel(name, [_of_checkpoint(track, checkpoints) for track in own], _low(lines))
            for name, own in panels.items()
        ),
        columns=min(3, len(panels)),
        height=260,
    )


def _styled(track: Track, names: dict[Owner, str], owners: tuple[Owner, ...]) -> Styled:
    return Styled(track=track, name=names[track.owner], index=owners.index(track.owner))


def _of_checkpoint(track: Track, checkpoints: tuple[str, ...]) -> Styled:
    name = track.owner.checkpoint
    return Styled(track=track, name=name, index=checkpoints.index(name))


def _titles(groups: Iterable[Asked]) -> dict[Asked, str]:
    several = len({probe for _, probe in groups}) > 1
    return {
        (target, probe): target_words(target).name + (f", {PROBES[probe]}" if several else "")
        for target, probe in groups
    }


def _panel(title: str, items: list[Styled], low: float) -> Panel:
    metric = METRICS[items[0].track.best.kind][0]
    marks = (*score_lines(items, metric), *random_lines(items, metric), *control_lines(items))
    return Panel(
        title=title,
        marks=marks,
        x=layer_axis(int(layer) for mark in marks for layer in mark.x),
        y=Axis(label=SCORES[metric], low=low, high=1.03),
    )


def _low(lines: Iterable[Track]) -> float:
    found = _scores(lines)
    values = [v for s in found for v in (s.headline.low, s.headline.value, s.identity, s.shuffled)]
    return max(_FLOOR, min(0.0, _least(values)) - 0.03)


def _below(lines: Iterable[Track]) -> str:
    if _least([score.headline.value for score in _scores(lines)]) >= _FLOOR:
        return ""
    return f" What is below {decimal(_FLOOR)} is not in the figure, but in the tables."


def _scores(lines: Iterable[Track]) -> list[ProbeScore]:
    return [score for track in lines for score in track.scores + track.init if score is not None]


def _least(values: Iterable[float]) -> float:
    return min((value for value in values if math.isfinite(value)), default=0.0)


def _sentence(title: str, lines: tuple[Track, ...], names: dict[Owner, str]) -> str:
    words = []
    for track in lines:
        best, last = track.best, track.last
        words.append(
            f"{names[track.owner]}: at best {decimal(best.headline.value)} in layer "
            f"{layer_name(best.layer)}, {decimal(last.headline.value)} in the last"
        )
    metric = SCORES[METRICS[lines[0].best.kind][0]]
    return f"{upper_first(title)}, {metric} by layer. {'; '.join(words)}."
