"""Tables of the `probe` measure."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from posprobe.analysis.probes import METRICS, ProbeScore, ProbesResult
from posprobe.figures.probes_features import SHOWN
from posprobe.figures.probes_lines import metric_of
from posprobe.figures.probes_tracks import Track, tracks
from posprobe.figures.probes_words import SCORES, target_words
from posprobe.figures.sites import layer_name
from posprobe.figures.words import upper_first
from posprobe.report.table import Table

_PLACES = ("checkpoint", "stream", "place", "feature", "probe")
_STREAM_COLUMNS = ("", ", random init", ", over identity", ", over shuffled")


def overview(result: ProbesResult) -> pd.DataFrame:
    """Return a row per target and place: the best layer with its controls, and the last layer."""
    lines = tracks(result)
    metrics = {track.best.headline.metric for track in lines}
    name = SCORES[metrics.pop()] if len(metrics) == 1 else "score"
    frame = pd.DataFrame([_overview_row(track, name) for track in lines])
    return _told_apart(frame) if lines else frame


def stream_table(lines: tuple[Track, ...]) -> Table:
    """Return the scores of one target by layer, with columns for each stream.

    Args:
        lines: Lines of one target.
    """
    streams = list(dict.fromkeys(track.owner.stream for track in lines))
    columns = [stream + more for more in _STREAM_COLUMNS for stream in streams]
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for track, score in _scores(lines):
        place = _place(track) | {"layer": layer_name(score.layer)}
        del place["stream"]
        # NA is "not measured"; NaN would be "undefined".
        row = rows.setdefault(tuple(place.values()), place | dict.fromkeys(columns, pd.NA))
        values = (score.headline.value, _random(track, score), *_selectivity(score).values())
        row |= zip((track.owner.stream + more for more in _STREAM_COLUMNS), values, strict=True)
    best = lines[0].best
    frame = _told_apart(pd.DataFrame(list(rows.values())))
    return Table(
        frame=frame,
        caption=f"{_title(best)}: {SCORES[best.headline.metric]} by layer and stream",
        heads=list(frame).index("layer") + 1,
    )


def score_table(lines: tuple[Track, ...]) -> Table:
    """Return every score of one target with its interval and controls.

    Args:
        lines: Lines of one target.
    """
    rows = [_place(track) | _score_row(track, score) for track, score in _scores(lines)]
    frame = _told_apart(pd.DataFrame(rows))
    return Table(
        frame=frame,
        caption=f"{_title(lines[0].best)}: each score with its 95 % interval, its controls and "
        "the selectivity, which is the score over a control",
        heads=list(frame).index("layer") + 1,
        notes=_undefined(lines),
    )


def feature_table(lines: tuple[Track, ...]) -> Table:
    """Return the scores of one target by what of the state is read.

    Args:
        lines: Lines of one target, of several features.
    """
    rows = [_place(track) | _feature_row(track, score) for track, score in _scores(lines)]
    frame = _told_apart(pd.DataFrame(rows))
    return Table(
        frame=frame,
        caption=f"{_title(lines[0].best)} by feature, with 95 % intervals",
        heads=list(frame).index("layer") + 1,
        notes=_undefined(lines),
    )


def _overview_row(track: Track, name: str) -> dict[str, Any]:
    best = track.best
    return {
        "target": track.target,
        **_place(track),
        "best layer": "undefined" if best.undefined else layer_name(best.layer),
        name: best.headline.value,
        "low": best.headline.low,
        "high": best.headline.high,
        "last layer": track.last.headline.value,
        "random init": _random(track, best),
        "identity": best.identity,
        "shuffled": best.shuffled,
        **_selectivity(best),
    }


def _score_row(track: Track, score: ProbeScore) -> dict[str, Any]:
    headline, *others = score.scores
    row: dict[str, Any] = {
        "layer": layer_name(score.layer),
        SCORES[headline.metric]: headline.value,
        "low": headline.low,
        "high": headline.high,
    }
    if len(headline.by_seed) > 1:
        row["sd over seeds"] = float(np.std(headline.by_seed, ddof=1))
    row |= {"random init": _random(track, score)}
    row |= {"identity": score.identity, "shuffled": score.shuffled, **_selectivity(score)}
    return row | {SCORES[other.metric]: other.value for other in others}


def _feature_row(track: Track, score: ProbeScore) -> dict[str, Any]:
    row: dict[str, Any] = {"layer": layer_name(score.layer)}
    for metric in SHOWN[score.kind]:
        name, found = SCORES[metric], metric_of(score, metric)
        row |= {name: found.value, f"{name}, low": found.low, f"{name}, high": found.high}
        row[f"{name}, random init"] = _random(track, score, metric)
    return row


def _scores(lines: Iterable[Track]) -> Iterator[tuple[Track, ProbeScore]]:
    return ((track, score) for track in lines for score in track.scores)


def _place(track: Track) -> dict[str, Any]:
    owner = track.owner
    named = (owner.checkpoint, owner.stream, owner.place, track.feature, track.probe)
    return dict(zip(_PLACES, named, strict=True))


def _selectivity(score: ProbeScore) -> dict[str, float]:
    return {
        "over identity": score.selectivity_identity,
        "over shuffled": score.selectivity_shuffled,
    }


def _random(track: Track, score: ProbeScore, metric: str = "") -> Any:
    random = track.random(score)
    if random is None:
        return pd.NA
    return metric_of(random, metric or METRICS[random.kind][0]).value


def _told_apart(frame: pd.DataFrame) -> pd.DataFrame:
    # What is the same in every row tells no row from another; controls may not be measured.
    same = [name for name in _PLACES if name in frame and len(set(frame[name])) == 1]
    missing = [name for name in frame if all(value is pd.NA for value in frame[name])]
    return frame.drop(columns=same + missing)


def _title(score: ProbeScore) -> str:
    return upper_first(target_words(score.target).name)


def _undefined(lines: Iterable[Track]) -> tuple[str, ...]:
    reasons: dict[str, int] = {}
    scores = [score for _, score in _scores(lines)]
    for score in scores:
        if score.undefined is not None:
            reasons[score.undefined] = reasons.get(score.undefined, 0) + 1
    return tuple(
        f"Undefined in {count} of {len(scores)} places: {reason.rstrip('.')}."
        for reason, count in reasons.items()
    )
