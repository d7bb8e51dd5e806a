"""Figures of what of a state is read: its direction to others, its length, or all of it."""

from collections.abc import Iterable

import numpy as np

from posprobe.analysis.probes import ProbesResult
from posprobe.figures.description import Axis, Figure, Panel
from posprobe.figures.ids import figure_id
from posprobe.figures.layer_axis import layer_axis
from posprobe.figures.probes_lines import Styled, layered, metric_of, random_lines, score_lines
from posprobe.figures.probes_tracks import Asked, Owner, Track, by_question, owner_names, tracks
from posprobe.figures.probes_words import PROBES, SCORES, target_words
from posprobe.figures.words import decimal, upper_first

SHOWN = {"number": ("nrmse", "pearson"), "class": ("macro_f1", "accuracy")}
"""The scores that features are compared by."""

_MEANINGS = {
    "nrmse": "NRMSE is the root of the mean squared error, divided by the range of the target: "
    "lower is better. Pearson r is the correlation of what is read with the target: 1 is best.",
    "macro_f1": "Higher is better.",
}


def feature_groups(result: ProbesResult) -> dict[Asked, tuple[Track, ...]]:
    """Return the lines of targets that are read from more than whole states.

    Args:
        result: Scores by checkpoint, site, stream, feature and target.
    """
    return {
        asked: lines
        for asked, lines in by_question(t for t in tracks(result) if t.drawn).items()
        if any(track.feature != "state" for track in lines)
    }


def feature_figures(result: ProbesResult) -> tuple[Figure, ...]:
    """Describe the scores by feature and layer, a figure per target.

    Args:
        result: Scores by checkpoint, site, stream, feature and target.

    Returns:
        For each target that is read from more than whole states: a row per checkpoint, stream
        and site, a panel per metric, a line per feature.
    """
    groups = feature_groups(result)
    several = len({probe for _, probe in groups}) > 1
    return tuple(_figure(asked, lines, several) for asked, lines in groups.items())


def features_id(asked: Asked) -> str:
    """Return the id of the figure of one target.

    >>> features_id(("token", "mlp"))
    'probe-features-token-mlp'
    """
    return figure_id("probe-features", *asked)


def _figure(asked: Asked, lines: tuple[Track, ...], several: bool) -> Figure:
    target, probe = asked
    owners: dict[Owner, list[Track]] = {}
    for track in lines:
        owners.setdefault(track.owner, []).append(track)
    features = list(dict.fromkeys(track.feature for track in lines))
    names = owner_names(tuple(owners))
    metrics = SHOWN[lines[0].best.kind]
    ends = {metric: _ends(lines, metric) for metric in metrics}
    kind = f", {PROBES[probe]}" if several else ""
    return Figure(
        id=features_id(asked),
        title=f"{upper_first(target_words(target).name)} by feature{kind}",
        caption=f"What of a state tells {target_words(target).meaning}? {_MEANINGS[metrics[0]]} "
        "Bars are 95 % bootstrap intervals over documents; dashed is the same architecture with "
        "random weights.",
        alt=" ".join(_sentence(names[track.owner], track, metrics[0]) for track in lines),
        panels=tuple(
            _panel(names[owner] if len(owners) > 1 else "", own, metric, features, ends[metric])
            for owner, own in owners.items()
            for metric in metrics
        ),
        columns=2,
        height=260,
    )


def _panel(
    name: str, lines: list[Track], metric: str, features: list[str], ends: tuple[float, float]
) -> Panel:
    items = [
        Styled(track=track, name=track.feature, index=features.index(track.feature))
        for track in lines
    ]
    marks = (*score_lines(items, metric), *random_lines(items, metric))
    return Panel(
        title=name,
        marks=marks,
        x=layer_axis(int(layer) for mark in marks for layer in mark.x),
        y=Axis(label=SCORES[metric], low=ends[0], high=ends[1]),
    )


def _ends(lines: Iterable[Track], metric: str) -> tuple[float, float]:
    """Return the ends of the axis, which the panels of a metric share."""
    scores = [score for track in lines for score in track.scores + track.init if score is not None]
    found = [metric_of(score, metric) for score in scores]
    values = np.array([(item.value, item.low, item.high) for item in found])
    known = values[np.isfinite(values)]
    low, high = known.min(initial=0.0), known.max(initial=0.0)
    # An error has no upper end.
    top = 1.05 * high if metric == "nrmse" else 1.03
    return float(low if low == 0 else low - 0.03), float(top)


def _sentence(name: str, track: Track, metric: str) -> str:
    ends = [metric_of(score, metric).value for score in (layered(track)[0], layered(track)[-1])]
    return (
        f"{name}, {track.feature}: {SCORES[metric]} {decimal(ends[0])} in the first layer, "
        f"{decimal(ends[1])} in the last."
    )
