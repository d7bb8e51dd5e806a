"""Figures of what lies behind the adjacency scores: similarities and variances."""

import math
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from posprobe.analysis.adjacency import AdjacencyResult, Similarity, VarianceByPosition
from posprobe.figures.description import Axis, Figure, Panel
from posprobe.figures.ids import figure_id
from posprobe.figures.marks import Heatmap, Line, Scale
from posprobe.figures.sites import layer_name, place
from posprobe.figures.theme import AMOUNT_STOPS, POSITION_STOPS
from posprobe.figures.thinning import block_means, stride_for, thinning_note
from posprobe.figures.words import decimal

_CELLS = 12_000
_POINTS = 4_096
_LAYERS = 12


@dataclass(frozen=True, kw_only=True)
class SimilarityMap:
    """A similarity matrix as drawn.

    Attributes:
        condition: Condition it was measured under.
        place: Site without its layer.
        layer: Layer, −1 for the token embedding.
        matrix: Mean cosines of blocks of positions.
        step: Positions in a block.
    """

    condition: str
    place: str
    layer: int | None
    matrix: Float[np.ndarray, "block block"]
    step: int


def similarity_maps(result: AdjacencyResult) -> tuple[SimilarityMap, ...]:
    """Return the matrices that are drawn, small enough for a page, by site.

    The token embedding stands before the layers of each site.
    """
    layers = sorted({item.layer for item in result.similarity if item.layer is not None})
    if len(layers) > _LAYERS:
        places = np.linspace(0, len(layers) - 1, _LAYERS).round().astype(int)
        layers = [layers[index] for index in places]
    shown = [item for item in result.similarity if item.layer is None or item.layer in layers]
    side = max(8, min(32, math.isqrt(_CELLS // max(1, len(shown)))))
    return tuple(_shrink(item, side) for item in shown)


def similarity_id(name: str) -> str:
    """Return the id of the figure of a site's matrices.

    >>> similarity_id("attn.hook_z")
    'adjacency-similarity-attn-hook-z'
    """
    return figure_id("adjacency-similarity", name)


def _shrink(item: Similarity, side: int) -> SimilarityMap:
    matrix, step = block_means(item.matrix, side=side)
    return SimilarityMap(
        condition=item.condition,
        place=place(item.site),
        layer=item.layer,
        matrix=matrix,
        step=step * item.stride,
    )


def similarity_figures(result: AdjacencyResult) -> tuple[Figure, ...]:
    """Describe the mean similarity matrices, one figure per site.

    Args:
        result: An adjacency result; without matrices there is no figure.
    """
    maps = similarity_maps(result)
    places = list(dict.fromkeys(item.place for item in maps if item.layer != -1))
    places = places or list(dict.fromkeys(item.place for item in maps))
    return tuple(
        _similarity_figure(result, [m for m in maps if m.place == name or m.layer == -1], name)
        for name in places
    )


def _similarity_figure(result: AdjacencyResult, maps: list[SimilarityMap], name: str) -> Figure:
    order = list(dict.fromkeys(item.condition for item in maps))
    # sorted() is stable: sites without a layer keep their order.
    maps = sorted(maps, key=lambda item: (order.index(item.condition), item.layer or 0))
    rows = [sum(item.condition == condition for item in maps) for condition in order]
    step = max(item.step for item in maps)
    words = f" One cell is the mean over {step} × {step} positions." if step > 1 else ""
    if len({item.layer for item in maps}) < len({item.layer for item in result.similarity}):
        words += " Only some layers are drawn; the JSON file has all."
    return Figure(
        id=similarity_id(name),
        title=f"Similarity of positions, {name}",
        caption="Mean cosine of the states at every two positions, by layer (L0, L1, …) after the "
        "token embedding (emb.); position 0 is at the top left. "
        "Darker (lighter on a dark page) is more similar. The score depends on the order of "
        "similarities only, so each panel has its own scale; the numbers above it are its ends, "
        "without the diagonal. A band along the diagonal that fades away from it is adjacency."
        + words,
        alt=f"Mean cosine similarity between positions at {name}, a matrix per layer and "
        f"condition: {', '.join(order)}.",
        panels=tuple(_similarity_panel(item) for item in maps),
        columns=min(7, max(rows)),
        narrow=3 if len(maps) > 2 else 1,
        height=136 if max(rows) > 4 else 180,
    )


def _similarity_panel(item: SimilarityMap) -> Panel:
    apart = item.matrix[~np.eye(len(item.matrix), dtype=bool)]
    apart = apart[np.isfinite(apart)]
    low, high = (float(apart.min()), float(apart.max())) if apart.size else (0.0, 1.0)
    digits = 2 if high - low > 0.02 else 4
    words = {None: "", -1: ", emb."}.get(item.layer, f", L{item.layer}")
    cells = Heatmap(
        values=item.matrix,
        scale=Scale(label="cosine", low=low, high=high, stops=AMOUNT_STOPS, keyed=False),
        label="cosine",
        names=() if item.step == 1 else _cell_names(item),
    )
    what = "position" if item.step == 1 else "block"
    hidden = Axis(label=what, hidden=True, low=-0.5, high=len(item.matrix) - 0.5)
    return Panel(
        title=f"{item.condition}{words}\n{decimal(low, digits)} to {decimal(high, digits)}",
        marks=(cells,),
        x=hidden,
        y=replace(hidden, reversed=True),
        equal=True,
    )


def _cell_names(item: SimilarityMap) -> tuple[tuple[str, ...], ...]:
    return tuple(
        tuple(
            f"{decimal(value, 3)}, from positions {row * item.step} and {column * item.step} on"
            for column, value in enumerate(values)
        )
        for row, values in enumerate(item.matrix.tolist())
    )


def variance_stride(result: AdjacencyResult) -> int:
    """Return the step between the positions whose variance is drawn."""
    longest = max((len(item.values) for item in result.variance), default=1)
    limit = max(32, _POINTS // max(1, len(result.variance)))
    return stride_for(longest, limit=min(1024, limit))


def variance_figures(result: AdjacencyResult) -> tuple[Figure, ...]:
    """Describe the variance by position, a panel per condition and site.

    Args:
        result: An adjacency result; without variances there is no figure.
    """
    groups: dict[tuple[str, str], list[VarianceByPosition]] = {}
    for item in result.variance:
        if item.layer != -1:
            groups.setdefault((item.condition, place(item.site)), []).append(item)
    for item in result.variance:
        for (condition, _), items in groups.items():
            if item.layer == -1 and item.condition == condition:
                items.insert(0, item)
    if not groups:
        return ()
    values = np.concatenate([item.values for item in result.variance])
    positive = values[np.isfinite(values) & (values > 0)]
    wide = bool(positive.size) and float(positive.max() / positive.min()) > 30
    stride = variance_stride(result)
    scale = _layer_scale(result)
    return (
        Figure(
            id="adjacency-variance",
            title="Variance by position",
            caption="Variance over the entries of the state at each position, averaged over "
            "sequences, a line per layer. Where it falls with position, the length of a state "
            "alone tells position: the rival explanation that the norm score tests."
            + (" The axis is logarithmic." if wide else "")
            + thinning_note(stride),
            alt="Variance of the state against position, per layer and condition.",
            panels=tuple(
                _variance_panel(f"{condition}, {name}", items, scale, stride, log=wide)
                for (condition, name), items in groups.items()
            ),
            columns=2 if len(groups) == 4 else min(len(groups), 3),
            narrow=1,
            height=220,
        ),
    )


def _layer_scale(result: AdjacencyResult) -> Scale:
    layers = [float(item.layer) for item in result.variance if item.layer is not None]
    low, high = (min(layers), max(layers)) if layers else (0.0, 1.0)
    label = "layer (−1: embedding)" if low == -1 else "layer"
    return Scale(label=label, low=low, high=high, stops=POSITION_STOPS)


def _variance_panel(
    title: str, items: list[VarianceByPosition], scale: Scale, stride: int, *, log: bool
) -> Panel:
    lines = tuple(
        Line(
            x=np.arange(0.0, len(item.values), stride),
            y=item.values[::stride].astype(float),
            label=f"layer {layer_name(item.layer)}",
            name=f"layer {layer_name(item.layer)}",
            role=scale.role(float(item.layer or 0)),
            scale=scale,
        )
        for item in items
    )
    return Panel(
        title=title,
        marks=lines,
        x=Axis(label="position"),
        y=Axis(label="variance", log=log, low=None if log else 0),
    )
