"""The page section of the `heads` measure."""

from typing import Any

import numpy as np

from posprobe.analysis.heads import HeadsResult
from posprobe.figures.finite import finite_mean
from posprobe.figures.head_map import counted
from posprobe.figures.heads import TERMS, heads_figures
from posprobe.figures.words import decimal, percent
from posprobe.report.heads_tables import (
    bias_tables,
    class_table,
    cut_table,
    effect_head_table,
    effect_layer_table,
    histogram_table,
    layer_overview,
    locality_class_table,
    locality_table,
    share_table,
)
from posprobe.report.section import Block, Section

COLUMNS = {
    "checkpoint": "the model",
    "weights": "`checkpoint`, or `random init` for the same model with random weights",
    "quantity": "what `value` is: `share`, its standard error `share_se`, `fraction`, "
    "`divergence` (bits), `variance` of the logits, mean attended `distance` (tokens), mass "
    "within ±8 tokens (`near`), both also `…_without_rp`, or an entry of `bias_curve`",
    "layer": "layer, from 0",
    "head": "head, from 0",
    "class": "the head's class: `structure`, `semantic`, `relative`, `mixed` or `undefined`",
    "term": "the addend of the logits: `ap`, `sem` or `rp`; empty where there is none",
    "offset": "key − query, for `bias_curve`; else empty",
    "value": "the number; empty where it is undefined",
}
"""The columns of `heads.csv`; the JSON file has the same numbers as nested fields."""


def heads_section(result: HeadsResult) -> Section:
    """Describe what a page says of a heads result.

    Args:
        result: The shares and effects of every head.
    """
    terms = " + ".join(TERMS.get(term, term) for term in result.terms)
    return Section(
        measure="heads",
        title="What each head attends by",
        headline=_headline(result),
        what=f"In this model the attention logits of a head are a sum: {terms}. The share of a "
        "term is the part of the logits' variance within a query's keys that it accounts for, "
        "Cov(term, logits) / Var(logits).",
        reading=f"Shares of a head sum to 1; a negative one works against the others. A head "
        f"belongs to a class if that term has the largest share and at least "
        f"{result.threshold:g}; otherwise it is mixed. The divergence says how far the attention "
        "itself moves, in bits from 0 to 1, when the term is taken away.",
        source="The split into groups of heads follows “Give it Space!” (arXiv 2605.30022), "
        "which shows it by examples; the shares, the classes and the divergence are our "
        "definitions.",
        limits="A share describes the logits on this text, not what the head is for. The absolute "
        "term of a deeper layer may carry content, since the feed-forward layers mix the streams. "
        "Standard errors are over groups of documents and leave out the choice of text. At random "
        "initialisation the shares only reflect the initial scales.",
        overview=layer_overview(result),
        blocks=_blocks(result),
        columns=COLUMNS,
        glance={result.checkpoint: _glance(result)},
    )


def _glance(result: HeadsResult) -> dict[str, Any]:
    counts = {f"{name} heads": count for name, count in result.class_counts.items()}
    del counts["undefined heads"]
    effects = {
        f"bits moved by {TERMS.get(term, term)}": finite_mean(result.divergence[:, :, index])
        for index, term in enumerate(result.terms)
    }
    return counts | effects


def _headline(result: HeadsResult) -> tuple[str, ...]:
    sentences = [_class_sentence(result)]
    if "ap" in result.terms:
        sentences.append(_separation_sentence(result))
    sentences.append(_effect_sentence(result))
    if "rp" in result.terms:
        sentences.append(_reach_sentence(result))
    return tuple(sentences)


def _class_sentence(result: HeadsResult) -> str:
    total = sum(result.class_counts.values())
    named = [f"{count} {name}" for name, count in result.class_counts.items() if count]
    named[0] = named[0].replace(" ", " are " if named[0][:2] != "1 " else " is ", 1)
    words = ", ".join(named[:-1]) + (" and " if len(named) > 1 else "") + named[-1]
    first = f"Of the {total} heads of {result.checkpoint}, {words}"
    if result.init is None:
        return f"{first}."
    return f"{first}; at random initialisation: {counted(result.init.class_counts)}."


def _separation_sentence(result: HeadsResult) -> str:
    if np.isnan(result.separation):
        reason = result.undefined.get("separation", "the shares do not vary")
        return f"Whether the heads form two groups is undefined: {reason}."
    before = ""
    if result.init is not None and np.isfinite(result.init.separation):
        before = f" (at random initialisation: {percent(result.init.separation)})"
    return (
        f"Parted at an absolute-position share of {decimal(result.cut)}, the heads form two groups "
        f"that hold {percent(result.separation)} of the variance of that share between "
        f"them{before}; evenly spread shares would give 75\xa0%."
    )


def _effect_sentence(result: HeadsResult) -> str:
    means = [finite_mean(values) for values in np.moveaxis(result.divergence, 2, 0)]
    parts = [
        f"{decimal(mean, 3)} bits for {TERMS.get(term, term)}"
        for term, mean in zip(result.terms, means, strict=True)
    ]
    return f"Taking a term away moves attention by {', '.join(parts)}, on average over heads."


def _reach_sentence(result: HeadsResult) -> str:
    reach = finite_mean(result.distance_without_rp), finite_mean(result.distance)
    far = tuple(decimal(mean, 1) for mean in reach)
    near = percent(finite_mean(result.near_without_rp)), percent(finite_mean(result.near))
    return (
        f"Relative position takes the mean attended distance from {far[0]} to {far[1]} tokens, "
        f"and the mass within 8 tokens from {near[0]} to {near[1]}."
    )


def _blocks(result: HeadsResult) -> tuple[Block, ...]:
    blocks = []
    for figure in heads_figures(result):
        match figure.id:
            case "heads-map":
                random = None if result.init is None else result.init.class_counts
                classes = class_table(result.class_counts, random)
                tables = (share_table(result),)
                block = Block(figure=figure, beside=classes, tables=tables)
            case "heads-histogram":
                tables = (histogram_table(result),)
                block = Block(figure=figure, beside=cut_table(result), tables=tables)
            case "heads-effect":
                tables = (effect_head_table(result),)
                block = Block(figure=figure, beside=effect_layer_table(result), tables=tables)
            case "heads-bias":
                block = Block(figure=figure, tables=bias_tables(result))
            case _:
                tables = (locality_table(result),)
                block = Block(figure=figure, beside=locality_class_table(result), tables=tables)
        blocks.append(block)
    return tuple(blocks)
