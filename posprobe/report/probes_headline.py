"""What a page says first of a result of probes."""

import math
from typing import Any

from posprobe.analysis.probes import HIGHER_IS_BETTER, ProbesResult, Score
from posprobe.figures.probes_features import SHOWN, feature_groups
from posprobe.figures.probes_lines import metric_of
from posprobe.figures.probes_tracks import Track, tracks
from posprobe.figures.probes_words import SCORES, target_words
from posprobe.figures.words import decimal, upper_first

_SENTENCES = 4
_NAMED = 4


def headline(result: ProbesResult) -> tuple[str, ...]:
    """Return two to four sentences with the numbers that matter.

    Args:
        result: Scores by checkpoint, site, stream, feature and target.
    """
    ranked = best_lines(result)
    begin = _begin(ranked) if ranked else []
    end = [*_features(result), *left_out(result)]
    chosen = (*begin[: _SENTENCES - len(end)], *end)
    return chosen if len(chosen) == _SENTENCES else (*chosen, _documents(result))


def left_out(result: ProbesResult) -> tuple[str, ...]:
    """Say which targets have no score at all and why; nothing if all have one.

    Args:
        result: Scores by checkpoint, site, stream, feature and target.
    """
    defined = {score.target for score in result.scores if score.undefined is None}
    reasons = {s.target: s.undefined for s in result.scores if s.undefined is not None}
    words = [
        f"{target_words(target).name} ({reasons.get(target, 'not measured')})"
        for target in result.targets
        if target not in defined
    ]
    return (f"Undefined: {', '.join(words)}.",) if words else ()


def best_lines(result: ProbesResult) -> list[list[Track]]:
    """Return for each target the best line of each checkpoint, best first.

    Args:
        result: Scores by checkpoint, site, stream, feature and target.
    """
    targets: dict[str, dict[str, Track]] = {}
    lines = [track for track in tracks(result) if track.defined]
    whole = {track.target for track in lines if track.feature == "state"}
    for track in lines:
        # Parts of a state are compared in a sentence of their own.
        if track.feature == "state" or track.target not in whole:
            found = targets.setdefault(track.target, {})
            checkpoint = track.owner.checkpoint
            found[checkpoint] = max(found.get(checkpoint, track), track, key=_height)
    return [sorted(found.values(), key=_height, reverse=True) for found in targets.values()]


def _height(track: Track) -> float:
    return track.best.headline.value


def _begin(ranked: list[list[Track]]) -> list[str]:
    (first, *rivals), *others = ranked
    sentences = [_first(first)]
    if rivals:
        words = "; ".join(_rival(track) for track in rivals[:_NAMED])
        sentences.append(f"{_target(first)} elsewhere: {words}{_rest(rivals)}.")
    if others:
        words = "; ".join(_other(found[0]) for found in others[:_NAMED])
        sentences.append(f"Other targets at their best: {words}{_rest(others)}.")
    return sentences


def _rest(items: list[Any]) -> str:
    return f"; and {len(items) - _NAMED} more" if len(items) > _NAMED else ""


def _first(track: Track) -> str:
    score = track.best.headline
    return (
        f"{_target(track)} is read best {_where(track)}: {SCORES[score.metric]} "
        f"{decimal(score.value)}{_ends(score)}{_last(track)}; token identity alone gives "
        f"{decimal(track.best.identity)}{_random(track)}."
    )


def _rival(track: Track) -> str:
    return f"{decimal(_height(track))} {_where(track)}{_last(track)}"


def _other(track: Track) -> str:
    score = track.best.headline
    return (
        f"{target_words(track.target).name} {SCORES[score.metric]} {decimal(score.value)} "
        f"{_where(track)} (identity {decimal(track.best.identity)}{_random(track)})"
    )


def _target(track: Track) -> str:
    return upper_first(target_words(track.target).name)


def _ends(score: Score) -> str:
    if math.isnan(score.low):
        return ""
    return f" [{decimal(score.low)}, {decimal(score.high)}]"


def _last(track: Track) -> str:
    if track.last is track.best:
        return ", the last layer" if track.best.layer is not None else ""
    return f", and {decimal(track.last.headline.value)} in the last layer"


def _random(track: Track) -> str:
    random = track.random(track.best)
    return "" if random is None else f", random weights {decimal(random.headline.value)}"


def _where(track: Track) -> str:
    score = track.best
    places = {None: f"at {score.site}", -1: "at the token embedding"}
    where = places.get(score.layer, f"in layer {score.layer}")
    stream = "" if track.owner.stream == "whole" else f", {track.owner.stream} stream"
    return f"{where} of {track.owner.checkpoint}{stream}"


def _features(result: ProbesResult) -> tuple[str, ...]:
    for (target, _), lines in feature_groups(result).items():
        own = [track for track in lines if track.owner == lines[0].owner]
        metric = SHOWN[lines[0].best.kind][0]
        words = ", ".join(_feature(track, metric) for track in own)
        what = f"{SCORES[metric]} of {target_words(target).name} in {lines[0].owner.checkpoint}"
        return (f"{what} at its best, by what of the state is read: {words}.",)
    return ()


def _feature(track: Track, metric: str) -> str:
    sign = 1 if HIGHER_IS_BETTER[metric] else -1
    best = max(track.defined, key=lambda score: sign * metric_of(score, metric).value)
    return f"{track.feature} {decimal(metric_of(best, metric).value, 3)}"


def _documents(result: ProbesResult) -> str:
    return (
        f"The probes learned from {result.train_documents:,} documents of {result.corpus} and were "
        f"examined on {result.test_documents:,} others."
    )
