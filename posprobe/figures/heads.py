"""Figures of the `heads` measure."""

import numpy as np

from posprobe.analysis.heads import HeadsResult
from posprobe.figures.description import Axis, Figure, Panel
from posprobe.figures.finite import finite_mean
from posprobe.figures.head_map import class_panel, counted, index_axis, map_height, share_panel
from posprobe.figures.heads_bias import bias_figure, locality_figure
from posprobe.figures.marks import Bars, Dash, Line, Mark, Rule, Scatter, Shape
from posprobe.figures.words import decimal

TERMS = {"ap": "absolute position", "sem": "semantic", "rp": "relative position"}
"""The addends of the logits in words."""

_TERM_ROLES = {"ap": "structure", "sem": "semantic", "rp": "relative"}
_TERM_SHAPES: dict[str, Shape] = {"ap": "circle", "sem": "square", "rp": "diamond"}
_TERM_DASHES: dict[str, Dash] = {"ap": "solid", "sem": "dash", "rp": "dot"}


def heads_figures(result: HeadsResult) -> tuple[Figure, ...]:
    """Describe the figures of a heads result; those without a term it needs are left out.

    Args:
        result: The shares and effects of every head.

    Returns:
        The map, the histogram (with an `ap` term), the effects, and the bias and the
        locality (with an `rp` term).
    """
    figures = [_map(result)]
    if result.hist_counts is not None:
        figures.append(_histogram(result))
    figures.append(_effect(result))
    if "rp" in result.terms:
        figures += [bias_figure(result), locality_figure(result)]
    return tuple(figures)


def _map(result: HeadsResult) -> Figure:
    shares = (
        share_panel(
            result.share[:, :, index],
            title=f"share of {TERMS.get(term, term)}",
            label=f"{term} share",
        )
        for index, term in enumerate(result.terms)
    )
    return Figure(
        id="heads-map",
        title="Heads by layer",
        caption=f"One cell is one head; layer 0 is at the top. A head belongs to a class if that "
        f"term has the largest share of its logits' variance and at least "
        f"{result.threshold:g} of it. Shares of a head sum to 1; one below 0 works against the "
        "others and has the palest colour.",
        alt=f"Classes of heads by layer and head, and the shares of each term. "
        f"{counted(result.class_counts)}.",
        panels=(class_panel(result.classes), *shares),
        columns=2,
        narrow=1,
        height=map_height(len(result.share)),
    )


def _histogram(result: HeadsResult) -> Figure:
    assert result.hist_counts is not None
    assert result.hist_edges is not None
    counts = result.hist_counts.astype(float)
    marks: list[Mark] = [
        Bars(edges=result.hist_edges, heights=counts, label="checkpoint", role="c1"),
        Rule(value=result.threshold, label=f"class threshold {result.threshold:g}", dash="dot"),
    ]
    if np.isfinite(result.cut):
        marks.append(Rule(value=result.cut, label=f"best cut {result.cut:.2f}", role="ink"))
    if result.init is not None and result.init.hist_counts is not None:
        assert result.init.hist_edges is not None
        marks.insert(1, _outline(result.init.hist_edges, result.init.hist_counts.astype(float)))
    return Figure(
        id="heads-histogram",
        title="Two groups of heads, or one",
        caption="Heads by the share of absolute position in their logits. Two heaps far apart "
        "mean that heads specialise; the best cut is the one that parts them (Otsu), and "
        f"{_separation(result)}. Shares at random initialisation only reflect the "
        "initial scales. Shares beyond the ends are counted in the outer bins.",
        alt=f"Histogram of the absolute-position share over {int(counts.sum())} heads.",
        panels=(
            Panel(
                marks=tuple(marks),
                x=Axis(label="share of absolute position", low=-0.2, high=1.2),
                y=_count_axis(result),
            ),
        ),
        height=260,
    )


def _count_axis(result: HeadsResult) -> Axis:
    drawn = [result.hist_counts] + ([result.init.hist_counts] if result.init else [])
    highest = max(int(counts.max(initial=1)) for counts in drawn if counts is not None)
    ticks = range(0, highest + 1, 1 + highest // 8)
    return Axis(
        label="heads",
        low=0,
        ticks=tuple(float(tick) for tick in ticks),
        tick_labels=tuple(str(tick) for tick in ticks),
    )


def _separation(result: HeadsResult) -> str:
    if np.isnan(result.separation):
        return "here it is undefined"
    return f"{result.separation:.2f} of the variance of the shares lies between its two sides"


def _outline(edges: np.ndarray, counts: np.ndarray) -> Line:
    return Line(
        x=np.repeat(edges, 2),
        y=np.r_[0.0, np.repeat(counts, 2), 0.0],
        label="random init",
        role="c5",
        steps=True,
    )


def _effect(result: HeadsResult) -> Figure:
    means = ", ".join(
        f"{term} {decimal(finite_mean(result.divergence[:, :, index]), 3)}"
        for index, term in enumerate(result.terms)
    )
    return Figure(
        id="heads-effect",
        title="What the pattern loses without a term",
        caption="Jensen–Shannon divergence between a head's attention and its attention without "
        "the term, averaged over queries. 0: nothing changes. 1 bit: the mass moves to other "
        "keys altogether. One marker is one head, the line joins the means of the layers. A term "
        "can vary much on keys that get no attention: then its share is large and its effect is "
        "small.",
        alt=f"Divergence per term by layer. Means over all heads, in bits: {means}.",
        panels=(
            Panel(
                marks=tuple(mark for term in result.terms for mark in _effect_marks(result, term)),
                x=index_axis("layer", len(result.variance)),
                y=Axis(label="divergence (bits)", low=-0.03 * _top(result.divergence)),
            ),
        ),
        height=300,
    )


def _top(values: np.ndarray) -> float:
    finite = values[np.isfinite(values)]
    return max(float(finite.max()), 1e-6) if finite.size else 1.0


def _effect_marks(result: HeadsResult, term: str) -> tuple[Mark, Mark]:
    index = result.terms.index(term)
    layers, heads = result.variance.shape
    # Terms stand side by side within a layer, so that equal values stay visible.
    place = np.arange(float(layers)) + 0.22 * (index - (len(result.terms) - 1) / 2)
    word, role = TERMS.get(term, term), _TERM_ROLES.get(term, "c4")
    points = Scatter(
        x=np.repeat(place, heads),
        y=result.divergence[:, :, index].reshape(-1),
        label=word,
        role=role,
        shape=_TERM_SHAPES.get(term, "triangle"),
        filled=False,
        names=tuple(f"layer {layer}, head {head}" for layer, head in np.ndindex(layers, heads)),
    )
    means = np.array([finite_mean(row) for row in result.divergence[:, :, index]])
    line = Line(
        x=place,
        y=means,
        label=f"{word}, mean",
        role=role,
        dash=_TERM_DASHES.get(term, "solid"),
    )
    return points, line
