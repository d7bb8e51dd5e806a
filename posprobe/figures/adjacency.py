"""Figures of the `adjacency` measure."""

import numpy as np

from posprobe.analysis.adjacency import AdjacencyResult, AdjacencyScore
from posprobe.figures.adjacency_maps import similarity_figures, variance_figures
from posprobe.figures.description import Axis, Figure, Panel
from posprobe.figures.layer_axis import layer_axis
from posprobe.figures.marks import Heatmap, Line, Mark, Rule, Scale, Shape
from posprobe.figures.sites import layer_name, place
from posprobe.figures.theme import AMOUNT_STOPS, SERIES
from posprobe.figures.words import brief

_SHAPES: tuple[Shape, ...] = ("circle", "square", "diamond", "triangle", "cross")


def adjacency_figures(result: AdjacencyResult) -> tuple[Figure, ...]:
    """Describe the figures of an adjacency result.

    Args:
        result: Scores by condition, site and layer.

    Returns:
        The scores by layer, the heads (where they were scored), the similarity matrices and
        the variance by position.
    """
    return (
        *_layers(result),
        *_heads(result),
        *similarity_figures(result),
        *variance_figures(result),
    )


def conditions(result: AdjacencyResult) -> tuple[str, ...]:
    """Return the conditions in the order measured."""
    return tuple(dict.fromkeys(score.condition for score in result.scores))


def _layers(result: AdjacencyResult) -> tuple[Figure, ...]:
    whole = [score for score in result.scores if score.head is None and score.layer is not None]
    places = list(dict.fromkeys(place(s.site) for s in whole if s.layer != -1))
    places = places or list(dict.fromkeys(place(s.site) for s in whole))
    if not places:
        return ()
    words = "rows" if result.average == "rows" else "triples"
    return (
        Figure(
            id="adjacency-layers",
            title="Score by layer",
            caption=f"Mean over {result.sequences} sequences of {result.length} tokens, averaged "
            f"over {words}, with a 95 % bootstrap interval over sequences. 1: of any two earlier "
            "tokens the nearer is the more similar. 0.5: nearness plays no part. Dashed: the "
            "same score from the length of the vectors alone.",
            alt="Adjacency score by layer, a line per condition and feature. " + _ends(result),
            panels=tuple(_layer_panel(result, whole, name) for name in places),
            columns=min(3, len(places)),
            height=320 if len(places) < 3 else 280,
        ),
    )


def _ends(result: AdjacencyResult) -> str:
    words = []
    for condition in conditions(result):
        means = [
            getattr(score, f"{result.average}_mean")
            for score in result.scores
            if score.condition == condition and score.feature == "cosine" and score.head is None
        ]
        finite = [mean for mean in means if np.isfinite(mean)]
        if finite:
            words.append(f"{condition}: cosine {min(finite):.2f} to {max(finite):.2f}.")
    return " ".join(words)


def _layer_panel(result: AdjacencyResult, whole: list[AdjacencyScore], name: str) -> Panel:
    lines: list[Mark] = []
    for index, condition in enumerate(conditions(result)):
        for feature in ("cosine", "norm"):
            chosen = [
                score
                for score in whole
                if score.condition == condition
                and score.feature == feature
                and (score.layer == -1 or place(score.site) == name)
            ]
            if chosen:
                lines.append(_score_line(result, chosen, index))
    lines.append(Rule(value=0.5, axis="y", label="nearness plays no part", dash="dot"))
    return Panel(
        title=name,
        marks=tuple(lines),
        x=layer_axis(score.layer for score in whole if score.layer is not None),
        y=Axis(label="adjacency score", low=0, high=1.03),
    )


def _score_line(result: AdjacencyResult, scores: list[AdjacencyScore], index: int) -> Line:
    scores = sorted(scores, key=lambda score: score.layer or 0)
    columns = {
        name: np.array([getattr(score, f"{result.average}_{name}") for score in scores])
        for name in ("mean", "low", "high")
    }
    return Line(
        x=np.array([float(score.layer or 0) for score in scores]),
        y=columns["mean"].astype(float),
        low=columns["low"].astype(float),
        high=columns["high"].astype(float),
        label=f"{scores[0].condition}, {scores[0].feature}",
        role=SERIES[index % len(SERIES)],
        dash="solid" if scores[0].feature == "cosine" else "dash",
        shape=_SHAPES[index % len(_SHAPES)],
    )


def _heads(result: AdjacencyResult) -> tuple[Figure, ...]:
    scored = [s for s in result.scores if s.head is not None and s.feature == "cosine"]
    grids: dict[tuple[str, str], list[AdjacencyScore]] = {}
    for score in scored:
        grids.setdefault((score.condition, place(score.site)), []).append(score)
    if not grids:
        return ()
    return (
        Figure(
            id="adjacency-heads",
            title="Score by head",
            caption="The cosine score of each head's own part of the site; layer 0 is at the top.",
            alt="Adjacency score by layer and head.",
            panels=tuple(
                _head_panel(result, f"{condition}, {site}", scores)
                for (condition, site), scores in grids.items()
            ),
            columns=2,
            height=220,
        ),
    )


def _head_panel(result: AdjacencyResult, title: str, scores: list[AdjacencyScore]) -> Panel:
    layers = sorted({score.layer or 0 for score in scores})
    heads = sorted({score.head or 0 for score in scores})
    values = np.full((len(layers), len(heads)), np.nan)
    for score in scores:
        where = layers.index(score.layer or 0), heads.index(score.head or 0)
        values[where] = getattr(score, f"{result.average}_mean")
    cells = Heatmap(
        values=values,
        scale=Scale(label="adjacency score", low=0, high=1, stops=AMOUNT_STOPS),
        label="score",
        text=tuple(tuple(brief(value) for value in row) for row in values.tolist()),
    )
    return Panel(
        title=title,
        marks=(cells,),
        x=_ticks("head", [str(head) for head in heads], reverse=False),
        y=_ticks("layer", [layer_name(layer) for layer in layers], reverse=True),
    )


def _ticks(label: str, names: list[str], *, reverse: bool) -> Axis:
    step = 1 + (len(names) - 1) // 16
    return Axis(
        label=label,
        low=-0.5,
        high=len(names) - 0.5,
        ticks=tuple(float(index) for index in range(0, len(names), step)),
        tick_labels=tuple(names[::step]),
        reversed=reverse,
    )
