"""The page section of the `decomposition` measure."""

from typing import Any

import numpy as np

from posprobe.analysis.decomposition import (
    AGREEMENT_PARTS,
    LOGIT_PARTS,
    DecompositionResult,
    StateParts,
)
from posprobe.figures.decomposition import by_stream, decomposition_figures
from posprobe.figures.finite import finite_mean
from posprobe.figures.head_map import counted
from posprobe.figures.words import decimal, percent
from posprobe.report.decomposition_tables import (
    agreement_table,
    curve_tables,
    head_table,
    overview,
    state_table,
)
from posprobe.report.heads_tables import class_table
from posprobe.report.names import together
from posprobe.report.section import Block, Section

COLUMNS = {
    "checkpoint": "the model",
    "weights": "`checkpoint`, or `random init` for the same model with random weights",
    "quantity": "what `value` is: a `share` of the variance, its standard error `share_se`, the "
    "`variance` itself; of states also `rank`, `low4` with `low4_se`, the farthest position "
    "`peak` and its `peak_share`; of heads also an entry of the relative `curve`, or the "
    "`agreement` with the model's own terms (a correlation)",
    "site": "hook name of the states, or `attn.hook_attn_scores`",
    "stream": "`ap` or `sem` for a stream of its own, `whole` for the whole state; empty for heads",
    "layer": "layer, −1 for what enters the first",
    "head": "head, from 0; empty for states",
    "class": "the head's class: `structure`, `semantic`, `relative`, `mixed` or `undefined`",
    "part": "of states `position`, `content` or `rest`; of heads `absolute`, `content` or "
    "`relative` (and `position` for both but content, of `agreement`)",
    "offset": "key − query, for `curve`; else empty",
    "value": "the number; empty where it is undefined",
}
"""The columns of `decomposition.csv`; the JSON file has the same numbers as nested fields."""

_ALONE = 0.5
"""From this share of the position part's power on, a position is named for standing alone."""


def decomposition_section(result: DecompositionResult) -> Section:
    """Describe what a page says of a decomposition.

    Args:
        result: The shares of states and logits.
    """
    return Section(
        measure="decomposition",
        title="What position decides, and what content",
        headline=tuple(_headline(result)),
        what="A state is the sum of a mean, a part of its position, a part of its document, and a "
        "rest; a head's logits are the sum of what all documents have in common at a pair of "
        "positions, which position decides, and of content. The common part is fitted by a "
        "function of the distance: that is relative, what it leaves is absolute.",
        reading="Shares of the variance sum to 1 and are unbiased: a part that is not there is as "
        "often a little below 0 as above. Rank counts the directions in which positions differ by "
        "more than chance; low4 is the share of the position part's power in its four lowest "
        "frequencies (a random walk over positions has about .87, white noise close to 0).",
        source="The parts of the states follow Song and Zhong (arXiv 2310.04861); the unbiased "
        "estimates, the rank by turned signs, and the split of the logits are our definitions. "
        "The classes are those of the heads of a model that shows its exact terms.",
        limits=f"It describes {result.documents} documents cut to the same "
        f"{result.positions} positions. What the corpus itself puts at a position, such as the "
        "first words of a document, counts as position; random ids have no such thing. Position "
        "that is not in the mean state, such as its norm or its likeness to its neighbours, is "
        f"not seen here: probes and adjacency scores look for that.{_windows(result)}",
        overview=overview(result),
        blocks=_blocks(result),
        columns=COLUMNS,
        glance={result.checkpoint: _glance(result)},
    )


def _windows(result: DecompositionResult) -> str:
    """Say which layers do not see every pair."""
    if result.logits is None:
        return ""
    near: dict[int, list[str]] = {}
    for layer, far in enumerate(result.reach):
        if far is not None and far < result.positions - 1:
            near.setdefault(far, []).append(str(layer))
    return "".join(
        f" Layer{'s' if len(layers) > 1 else ''} {together(layers)} see{'s' * (len(layers) == 1)} "
        f"keys at most {far} token{'s' * (far != 1)} away, so that only these pairs count there."
        for far, layers in near.items()
    )


def _glance(result: DecompositionResult) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for stream, layers in by_stream(result).items():
        name = "position in the states" + ("" if stream == "whole" else f", {stream}")
        found |= {f"{name}, entering": layers[0].share[0], f"{name}, last": layers[-1].share[0]}
    if result.logits is not None:
        for part, name in enumerate(LOGIT_PARTS):
            found[f"{name} share of the logits"] = finite_mean(result.logits.share[:, :, part])
    return {name: float(value) for name, value in found.items()}


def _headline(result: DecompositionResult) -> list[str]:
    whole = next(iter(by_stream(result).values()))
    sentences = [_state_sentence(result, whole), _shape_sentence(whole[-1])]
    if result.logits is not None:
        sentences.append(_head_sentence(result))
        if result.logits.agreement.size:
            sentences.append(_agreement_sentence(result))
    return sentences


def _state_sentence(result: DecompositionResult, layers: tuple[StateParts, ...]) -> str:
    shares = [float(parts.share[0]) for parts in layers]
    named = [f"{percent(shares[0])} where they enter"] if layers[0].layer == -1 else []
    later = [share for parts, share in zip(layers, shares, strict=True) if parts.layer != -1]
    if later:
        named.append(f"{percent(later[0])} after the first layer")
        named.append(f"{percent(later[-1])} after the last")
    beside = ""
    if result.init is not None:
        share = next(iter(by_stream(result.init).values()))[-1].share[0]
        beside = f" (with random weights {percent(float(share))})"
    words = together(named)
    return f"Of the variance of {result.checkpoint}'s states, position holds {words}{beside}."


def _shape_sentence(last: StateParts) -> str:
    if not last.rank or np.isnan(last.low4):
        return "No position part stands above chance in the states of the last layer."
    directions = f"{last.rank} direction" + ("" if last.rank == 1 else "s")
    alone = ""
    if last.peak_share > _ALONE:
        alone = (
            f"; {percent(last.peak_share)} of it is position {last.peak} alone, which "
            f"`--start {last.peak + 1}` leaves out"
        )
    return (
        f"In the last layer it has {directions} above chance and {percent(last.low4)} of its "
        f"power in the four lowest frequencies{alone}."
    )


def _head_sentence(result: DecompositionResult) -> str:
    assert result.logits is not None
    total = sum(result.logits.class_counts.values())
    first = (
        f"By what decides their logits, the {total} heads are: "
        f"{counted(result.logits.class_counts)}"
    )
    if result.init is None or result.init.logits is None:
        return f"{first}."
    return f"{first}; with random weights: {counted(result.init.logits.class_counts)}."


def _agreement_sentence(result: DecompositionResult) -> str:
    assert result.logits is not None
    position = result.logits.agreement[..., AGREEMENT_PARTS.index("position")]
    content = result.logits.agreement[..., AGREEMENT_PARTS.index("content")]
    return (
        "Found without looking inside, the parts agree with the terms the model adds up: the "
        f"position part correlates by {decimal(finite_mean(position[0]), 3)} in the first layer "
        f"and {decimal(finite_mean(position), 3)} over all heads, the content by "
        f"{decimal(finite_mean(content), 3)}."
    )


def _blocks(result: DecompositionResult) -> tuple[Block, ...]:
    blocks = []
    for figure in decomposition_figures(result):
        match figure.id:
            case "decomposition-states":
                blocks.append(Block(figure=figure, tables=(state_table(result),)))
            case "decomposition-heads":
                assert result.logits is not None
                init = result.init.logits if result.init else None
                classes = class_table(result.logits.class_counts, init and init.class_counts)
                tables = (head_table(result.logits),)
                blocks.append(Block(figure=figure, beside=classes, tables=tables))
            case "decomposition-relative":
                assert result.logits is not None
                blocks.append(Block(figure=figure, tables=curve_tables(result.logits)))
            case _:
                assert result.logits is not None
                blocks.append(Block(figure=figure, tables=(agreement_table(result.logits),)))
    return tuple(blocks)
