"""Lines of probe scores, and thin ones for what the scores have to beat."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from posprobe.analysis.probes import ProbeScore, Score
from posprobe.figures.marks import Dash, Line, Shape
from posprobe.figures.probes_tracks import Track
from posprobe.figures.theme import SERIES

RANDOM = "same architecture, random weights"
IDENTITY = "token identity alone"
SHUFFLED = "target shuffled within documents"
"""What the controls are called in the key."""

_SHAPES: tuple[Shape, ...] = ("circle", "square", "diamond", "triangle", "cross")


@dataclass(frozen=True, kw_only=True)
class Styled:
    """A track and how it is told apart from the others of its panel.

    Attributes:
        track: What is drawn.
        name: What it is called in the key.
        index: Its place among those that are told apart, from 0.
    """

    track: Track
    name: str
    index: int

    @property
    def role(self) -> str:
        """The colour."""
        return SERIES[self.index % len(SERIES)]


def score_lines(items: Iterable[Styled], metric: str) -> list[Line]:
    """Return one metric by layer with its intervals; gaps where it is undefined.

    Args:
        items: What is drawn.
        metric: Name of the metric.
    """
    return [
        Line(
            x=_layers(item.track),
            y=_values(item.track, lambda score: metric_of(score, metric).value),
            low=_values(item.track, lambda score: metric_of(score, metric).low),
            high=_values(item.track, lambda score: metric_of(score, metric).high),
            label=item.name,
            role=item.role,
            shape=_SHAPES[item.index % len(_SHAPES)],
        )
        for item in items
    ]


def random_lines(items: Iterable[Styled], metric: str) -> list[Line]:
    """Return the same at random initialisation, thin and in the same colours.

    Args:
        items: What is drawn; those of which there is no such score are left out.
        metric: Name of the metric.
    """
    lines = []
    for item in items:
        values = _values(item.track, lambda score, own=item.track: _random(own, score, metric))
        lines.append(_thin(item, values, RANDOM, item.role, "dash"))
    return _with_key([line for line in lines if np.isfinite(line.y).any()])


def control_lines(items: Iterable[Styled]) -> list[Line]:
    """Return the scores of the token's identity and of the shuffled target, thin and grey.

    Lines that lie on each other, as those of one tokenizer do, are drawn once.

    Args:
        items: What the controls belong to.
    """
    items = tuple(items)
    identity = _controls(items, IDENTITY, "dot", lambda score: score.identity)
    shuffled = _controls(items, SHUFFLED, "solid", lambda score: score.shuffled)
    return identity + shuffled


def layered(track: Track) -> tuple[ProbeScore, ...]:
    """Return the scores that have a place on the axis of the layers.

    Args:
        track: Scores of any sites.
    """
    return tuple(score for score in track.scores if score.layer is not None)


def metric_of(score: ProbeScore, metric: str) -> Score:
    """Return one metric of a probe's scores.

    Args:
        score: A score of a kind of target that has this metric.
        metric: Its name.
    """
    return next(item for item in score.scores if item.metric == metric)


def _controls(
    items: tuple[Styled, ...], label: str, dash: Dash, of: Callable[[ProbeScore], float]
) -> list[Line]:
    lines = [_thin(item, _values(item.track, of), label, "muted", dash) for item in items]
    known = [line for line in lines if np.isfinite(line.y).any()]
    return list({(line.x.tobytes(), line.y.tobytes()): line for line in known[::-1]}.values())[::-1]


def _thin(item: Styled, values: np.ndarray, label: str, role: str, dash: Dash) -> Line:
    return Line(
        x=_layers(item.track),
        y=values,
        label=label,
        role=role,
        dash=dash,
        name=f"{item.name}: {label}",
        thin=True,
    )


def _with_key(lines: list[Line]) -> list[Line]:
    # The key shows the first line of a name: a grey one without points, of no checkpoint.
    none = np.zeros(0)
    keys = [replace(line, x=none, y=none, role="muted") for line in lines[:1]]
    return keys + lines


def _random(track: Track, score: ProbeScore, metric: str) -> float:
    random = track.random(score)
    return float("nan") if random is None else metric_of(random, metric).value


def _layers(track: Track) -> Float[np.ndarray, " layer"]:
    return np.array([score.layer for score in layered(track)], dtype=float)


def _values(track: Track, of: Callable[[ProbeScore], float]) -> Float[np.ndarray, " layer"]:
    return np.array([of(score) for score in layered(track)], dtype=float)
