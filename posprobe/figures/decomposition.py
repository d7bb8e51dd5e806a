"""Figures of the `decomposition` measure."""

import numpy as np

from posprobe.analysis.decomposition import (
    AGREEMENT_PARTS,
    LOGIT_PARTS,
    STATE_PARTS,
    DecompositionResult,
    LogitParts,
    StateParts,
)
from posprobe.figures.description import Axis, Figure, Panel
from posprobe.figures.finite import finite_mean
from posprobe.figures.head_map import class_panel, counted, index_axis, map_height, share_panel
from posprobe.figures.layer_axis import layer_axis
from posprobe.figures.marks import Line, Mark, Scatter, Shape
from posprobe.figures.offset_curves import offset_panel
from posprobe.figures.sites import layer_name
from posprobe.figures.words import decimal, percent

_SHAPES: tuple[Shape, ...] = ("circle", "square", "diamond", "triangle")
_ROLES = ("c1", "c2", "c7")
_AGREEMENT_ROLES = ("c4", "structure", "semantic", "relative")
STREAMS = {"whole": "whole state", "ap": "absolute-position stream", "sem": "semantic stream"}
_CURVES = 12
"""Most layers whose curves are drawn."""


def decomposition_figures(result: DecompositionResult) -> tuple[Figure, ...]:
    """Describe the figures: states by layer and, where a model shows its logits, its heads.

    Args:
        result: The shares of states and logits.
    """
    figures = [_states(result)]
    if result.logits is not None:
        figures += [_heads(result.logits), _curves(result.logits)]
        if result.logits.agreement.size:
            figures.append(_agreement(result.logits))
    return tuple(figures)


def by_stream(result: DecompositionResult) -> dict[str, tuple[StateParts, ...]]:
    """Return the layers of each stream, in order.

    Args:
        result: The shares of states and logits.
    """
    streams = dict.fromkeys(parts.stream for parts in result.states)
    return {s: tuple(parts for parts in result.states if parts.stream == s) for s in streams}


def curve_layers(logits: LogitParts) -> tuple[int, ...]:
    """Return the layers whose curves are drawn: those with the largest relative part.

    Args:
        logits: The heads.
    """
    means = np.nan_to_num(logits.share[:, :, LOGIT_PARTS.index("relative")]).mean(axis=1)
    largest = np.argsort(-means, kind="stable")[:_CURVES]
    return tuple(sorted(largest.tolist()))


def _states(result: DecompositionResult) -> Figure:
    random = {} if result.init is None else by_stream(result.init)
    panels = tuple(
        Panel(
            title=STREAMS[stream],
            marks=(*_shares(layers), *_random(random.get(stream, ()))),
            x=layer_axis(parts.layer for parts in layers if parts.layer is not None),
            y=Axis(label="share of the variance", low=-0.03, high=1.03),
        )
        for stream, layers in by_stream(result).items()
    )
    return Figure(
        id="decomposition-states",
        title="What states vary with",
        caption="Shares of the variance of the states that go with their position, with their "
        "document, and with neither alone. Bars are 2 standard errors either way; “emb.” is what "
        "enters the first layer. "
        + ("" if result.init is None else "The thin line is the position part of random weights."),
        alt=f"Shares of the variance by layer. {_told(result)}",
        panels=panels,
        columns=min(3, len(panels)),
        height=280,
    )


def _shares(layers: tuple[StateParts, ...]) -> list[Line]:
    x = np.array([parts.layer for parts in layers], dtype=float)
    lines = []
    for index, name in enumerate(STATE_PARTS):
        values = np.array([parts.share[index] for parts in layers])
        error = 2 * np.array([parts.share_se[index] for parts in layers])
        lines.append(
            Line(
                x=x,
                y=values,
                low=values - error,
                high=values + error,
                interval="± 2 standard errors",
                label=name,
                role=_ROLES[index],
                shape=_SHAPES[index],
            )
        )
    return lines


def _random(layers: tuple[StateParts, ...]) -> list[Line]:
    if not layers:
        return []
    return [
        Line(
            x=np.array([parts.layer for parts in layers], dtype=float),
            y=np.array([parts.share[0] for parts in layers]),
            label="position, random weights",
            role=_ROLES[0],
            dash="dash",
            thin=True,
        )
    ]


def _told(result: DecompositionResult) -> str:
    sentences = []
    for stream, layers in by_stream(result).items():
        first, last = layers[0], layers[-1]
        sentences.append(
            f"Position in the {STREAMS[stream]}: {percent(first.share[0])} in layer "
            f"{layer_name(first.layer)}, {percent(last.share[0])} in layer "
            f"{layer_name(last.layer)}."
        )
    return " ".join(sentences)


def _heads(logits: LogitParts) -> Figure:
    shares = (
        share_panel(logits.share[:, :, index], title=f"share, {part}", label=f"{part} share")
        for index, part in enumerate(LOGIT_PARTS)
    )
    return Figure(
        id="decomposition-heads",
        title="What decides the logits of each head",
        caption="One cell is one head; layer 0 is at the top. Shares of a head sum to 1. A head is "
        "of structure, semantic or relative if the absolute, content or relative share is the "
        f"largest and at least {logits.threshold:g}.",
        alt="Classes of heads by layer and head, and the shares of each part. "
        f"{counted(logits.class_counts)}.",
        panels=(class_panel(logits.classes), *shares),
        columns=2,
        narrow=1,
        height=map_height(len(logits.share)),
    )


def _curves(logits: LogitParts) -> Figure:
    layers = curve_layers(logits)
    left_out = len(logits.share) - len(layers)
    more = f" {left_out} layers with a smaller relative part are left out." if left_out else ""
    return Figure(
        id="decomposition-relative",
        title="The relative part by offset",
        caption="What the mean logits add for a key so many tokens after the query (negative: "
        "before it), whatever the tokens; one line per head, coloured by its class. Only "
        f"differences within a line matter to attention.{more}",
        alt="The relative part of the logits against the offset between key and query, per head.",
        panels=tuple(
            offset_panel(
                logits.offsets,
                logits.curve[layer],
                classes=logits.classes[layer],
                title=f"layer {layer}",
                label="logit",
            )
            for layer in layers
        ),
        columns=min(len(layers), 3),
        narrow=1 if len(layers) < 4 else 2,
        height=280 if len(layers) == 1 else 180,
    )


def _agreement(logits: LogitParts) -> Figure:
    layers = len(logits.agreement)
    marks: list[Mark] = []
    for index, part in enumerate(AGREEMENT_PARTS):
        marks += _agreement_marks(logits.agreement[:, :, index], part, index)
    means = ", ".join(
        f"{part} {decimal(finite_mean(logits.agreement[:, :, index]))}"
        for index, part in enumerate(AGREEMENT_PARTS)
    )
    lowest = np.nanmin(logits.agreement, initial=0.0)
    return Figure(
        id="decomposition-agreement",
        title="Beside the terms that the model adds up",
        caption="Correlation, over all documents and pairs, of each part with the model's own "
        "terms: position with its two terms together; absolute and relative with the same, split "
        "in the same way; content with the semantic term. One marker is one head, the line joins "
        "the means. In deeper layers the model's position term may carry content. A part that is "
        "small is measured with much noise, which lowers its correlation.",
        alt=f"Correlation of each part with the model's own terms by layer. Means over all heads: "
        f"{means}.",
        panels=(
            Panel(
                marks=tuple(marks),
                x=index_axis("layer", layers),
                y=Axis(label="correlation", low=min(0.0, float(lowest)) - 0.03, high=1.03),
            ),
        ),
        height=280,
    )


def _agreement_marks(values: np.ndarray, part: str, index: int) -> tuple[Mark, Mark]:
    layers, heads = values.shape
    # Parts stand side by side within a layer, so that equal values stay visible.
    place = np.arange(float(layers)) + 0.15 * (index - (len(AGREEMENT_PARTS) - 1) / 2)
    role = _AGREEMENT_ROLES[index]
    points = Scatter(
        x=np.repeat(place, heads),
        y=values.reshape(-1),
        label=part,
        role=role,
        shape=_SHAPES[index],
        filled=False,
        names=tuple(f"layer {layer}, head {head}" for layer, head in np.ndindex(layers, heads)),
    )
    means = np.array([finite_mean(row) for row in values])
    return points, Line(x=place, y=means, label=part, role=role, name=f"{part}, mean")
