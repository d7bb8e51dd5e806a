"""Figures of what relative position does in each head."""

import numpy as np

from posprobe.analysis.heads import HeadsResult
from posprobe.figures.description import Axis, Figure, Panel
from posprobe.figures.marks import Rule, Scatter, Shape
from posprobe.figures.offset_curves import offset_panel
from posprobe.figures.theme import CLASSES

_SHAPES: dict[str, Shape] = {
    "structure": "circle",
    "semantic": "square",
    "relative": "diamond",
    "mixed": "triangle",
    "undefined": "cross",
}
_NEAR = 32
_FAR = 16
_HEADS = 64


def bias_offsets(result: HeadsResult) -> np.ndarray:
    """Return the indices of the offsets drawn: all near ones, ever sparser beyond."""
    distance = np.abs(result.offsets)
    near = _NEAR if result.variance.size <= _HEADS else _NEAR // 2
    longest = int(distance.max(initial=0))
    if longest <= 2 * near:
        return np.arange(len(distance))
    far = np.unique(np.geomspace(near, longest, _FAR).astype(int))
    return np.flatnonzero((distance <= near) | np.isin(distance, far))


def bias_layers(result: HeadsResult) -> tuple[int, ...]:
    """Return the layers whose bias is drawn: only the first if all share one."""
    curves = result.bias_curve
    if all(np.array_equal(curve, curves[0], equal_nan=True) for curve in curves):
        return (0,)
    return tuple(range(len(curves)))


def bias_figure(result: HeadsResult) -> Figure:
    """Describe the bias as a function of the offset, a line per head.

    Args:
        result: A result with an `rp` term.
    """
    chosen = bias_offsets(result)
    layers = bias_layers(result)
    shared = len(layers) == 1 and len(result.share) > 1
    sparse = "" if len(chosen) == len(result.offsets) else " Far offsets are drawn sparsely."
    return Figure(
        id="heads-bias",
        title="The bias by offset",
        caption="What relative position adds to the logits of a key so many tokens after the "
        "query (negative: before it); one line per head, coloured by its class. Only "
        "differences within a line matter to attention."
        + (" All layers share one bias." if shared else "")
        + sparse,
        alt="Relative-position bias against the offset between key and query, per head.",
        panels=tuple(
            offset_panel(
                result.offsets[chosen],
                result.bias_curve[layer][:, chosen],
                classes=result.classes[layer],
                title="every layer" if shared else f"layer {layer}",
                label="bias",
            )
            for layer in layers
        ),
        columns=min(len(layers), 3),
        narrow=1 if len(layers) < 4 else 2,
        height=280 if len(layers) == 1 else 180,
    )


def locality_figure(result: HeadsResult) -> Figure:
    """Describe how much nearer each head attends because of relative position.

    Args:
        result: A result with an `rp` term.
    """
    return Figure(
        id="heads-locality",
        title="What relative position does to reach",
        caption="Each marker is one head: without the relative term across, as it is upwards. "
        "Left: mean attended distance; below the diagonal, the term draws attention nearer. "
        "Right: attention mass within 8 tokens; above the diagonal, the term draws it nearer.",
        alt="Attended distance, and attention mass within 8 tokens, with and without the "
        "relative term, one point per head.",
        panels=(
            _locality_panel(
                result, result.distance_without_rp, result.distance, "mean distance (tokens)"
            ),
            _locality_panel(result, result.near_without_rp, result.near, "mass within ±8"),
        ),
        columns=2,
        height=300,
    )


def _locality_panel(
    result: HeadsResult, without: np.ndarray, actual: np.ndarray, title: str
) -> Panel:
    classes = np.array(result.classes)
    marks = []
    for name in CLASSES:
        where = np.argwhere(classes == name)
        if len(where):
            layer, head = where.T
            marks.append(
                Scatter(
                    x=without[layer, head],
                    y=actual[layer, head],
                    label=name,
                    role=CLASSES[name][0] if name != "undefined" else "muted",
                    shape=_SHAPES[name],
                    names=tuple(f"layer {a}, head {b}" for a, b in where.tolist()),
                )
            )
    same = Rule(value=0, axis="diagonal", label="no effect")
    return Panel(
        title=title,
        marks=(same, *marks),
        x=Axis(label="without the term"),
        y=Axis(label="as it is"),
    )
