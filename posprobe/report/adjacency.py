"""The page section of the `adjacency` measure."""

import math
from typing import Any

from posprobe.analysis.adjacency import AdjacencyResult, AdjacencyScore
from posprobe.figures.adjacency import adjacency_figures, conditions
from posprobe.figures.sites import place
from posprobe.figures.words import decimal
from posprobe.report.adjacency_tables import (
    head_tables,
    overview,
    score_table,
    similarity_tables,
    variance_tables,
)
from posprobe.report.names import brief_names
from posprobe.report.section import Block, Section

COLUMNS = {
    "checkpoint": "the model",
    "task": "where the sequences come from",
    "condition": "which model and input: `checkpoint`, `random init`, `non-causal`, `permuted`, …",
    "site": "hook name of the states",
    "layer": "layer, −1 for the token embedding",
    "head": "head, where heads are scored one by one; else empty",
    "feature": "`cosine`, or `norm` for the length of the states; empty for variances",
    "quantity": "what `value` is: `score` of one sequence; `mean`, `sd`, `low` and `high` (95 % "
    "bootstrap interval) over sequences; `left_out` zero vectors; or `variance` at a position",
    "average": "`rows` or `triples`: how a sequence's score was averaged",
    "sample": "sequence, from 0, for `score`",
    "pos": "position, from 0, for `variance`",
    "value": "the number; empty where it is undefined",
}
"""The columns of `adjacency.csv`; the JSON file adds the mean similarity matrices."""


def adjacency_section(result: AdjacencyResult) -> Section:
    """Describe what a page says of an adjacency result.

    Args:
        result: Scores by condition, site and layer.
    """
    ties = "count as failures" if result.ties == "strict" else "count as half a success"
    average = (
        "averaged over rows, so that every token counts the same (the paper's definition)"
        if result.average == "rows"
        else "pooled over triples, so that late tokens count more (the authors' code)"
    )
    return Section(
        measure="adjacency",
        title="Whether near tokens are alike",
        headline=_headline(result),
        what="For a token and any two tokens before it: is the nearer one the more similar (by "
        "cosine)? The adjacency score is the share of such pairs where it is, "
        f"{average}; ties {ties}.",
        reading="1: similarity falls with every step back. 0.5: distance plays no part. 0: it "
        "rises. Read the score beside its controls: the same from the lengths of the vectors "
        "(norm), from random weights, and without the causal mask, as far as they were asked for. "
        "The site matters as much as the layer.",
        source="The score follows “Position Information Emerges in Causal Transformers Without "
        "Positional Encodings” (arXiv 2501.00073); the norm counterpart tests the "
        "rival account that variance carries position; the intervals are ours.",
        limits="A high score shows that order could be read from similarities. It does not show "
        "that the model reads it, and it appears without training too: compare random init. The "
        "intervals cover the choice of sequences, not of seeds or tasks.",
        overview=overview(result),
        blocks=_blocks(result),
        columns=COLUMNS,
        glance={result.checkpoint: _glance(result)},
    )


def _glance(result: AdjacencyResult) -> dict[str, Any]:
    first = next(iter(conditions(result)), "")
    own = [s for s in result.scores if (s.condition, s.feature, s.head) == (first, "cosine", None)]
    site = _site(result, first)
    ends = [score for score in own if score.layer != -1 and place(score.site) == site]
    starts = [score for score in own if score.layer == -1]
    found = {
        "adjacency, token embedding": starts[:1],
        f"adjacency at {site}, first layer": ends[:1],
        f"adjacency at {site}, last layer": ends[-1:],
    }
    return {
        name: getattr(score, f"{result.average}_mean")
        for name, scores in found.items()
        for score in scores
    }


def _headline(result: AdjacencyResult) -> tuple[str, ...]:
    first, *controls = conditions(result) or ("",)
    site = _site(result, first)
    whole = [s for s in result.scores if s.head is None and (site == place(s.site))]
    cosines = [score for score in whole if score.feature == "cosine"]
    norms = [score for score in whole if score.feature == "norm"]
    sentences = [_main(result, first, site)]
    spans = {name: _span(result, cosines, name) for name in controls}
    if any(spans.values()):
        words = "; ".join(f"{name} {span}" for name, span in spans.items() if span)
        sentences.append(f"The controls score over the layers at {site}: {words}.")
    if span := _span(result, norms, first):
        sentences.append(f"From the lengths of these vectors alone the score is {span}.")
    lost = [score for score in result.scores if score.undefined is not None]
    if lost:
        sentences.append(f"Undefined in {len(lost)} places, since {lost[0].undefined}.")
    return tuple(sentences)


def _site(result: AdjacencyResult, condition: str) -> str:
    # The first site measured headlines; the others are in the figures and tables.
    scores = [score for score in result.scores if score.condition == condition]
    inner = [score for score in scores if score.layer != -1] or scores
    return place(inner[0].site) if inner else ""


def _main(result: AdjacencyResult, first: str, site: str) -> str:
    name = brief_names([result.checkpoint])[result.checkpoint]
    name = name if first == "checkpoint" else f"{name} ({first})"
    own = [s for s in result.scores if (s.condition, s.feature, s.head) == (first, "cosine", None)]
    parts = [f"{_value(result, s)} at the token embedding" for s in own if s.layer == -1][:1]
    layers = [score for score in own if score.layer != -1 and place(score.site) == site]
    if layers:
        parts.append(f"{_value(result, layers[0])} at {site} in layer {layers[0].layer}")
    if len(layers) > 1:
        parts.append(f"{_value(result, layers[-1])} in layer {layers[-1].layer}")
    return (
        f"{name} scores {', '.join(parts) or 'nothing'} (mean over {result.sequences} sequences "
        f"of {result.length} tokens from {result.task}, averaged over {result.average}; 95\xa0% "
        "intervals over sequences)."
    )


def _value(result: AdjacencyResult, score: AdjacencyScore) -> str:
    mean = getattr(score, f"{result.average}_mean")
    low, high = (getattr(score, f"{result.average}_{end}") for end in ("low", "high"))
    if math.isnan(mean) or math.isnan(low):
        return decimal(mean)
    return f"{decimal(mean)} [{decimal(low)}, {decimal(high)}]"


def _span(result: AdjacencyResult, scores: list[AdjacencyScore], condition: str) -> str:
    means = [
        getattr(score, f"{result.average}_mean") for score in scores if score.condition == condition
    ]
    finite = [mean for mean in means if math.isfinite(mean)]
    if not finite:
        return ""
    low, high = decimal(min(finite)), decimal(max(finite))
    return low if low == high else f"{low} to {high}"


def _blocks(result: AdjacencyResult) -> tuple[Block, ...]:
    blocks = []
    for figure in adjacency_figures(result):
        if figure.id == "adjacency-layers":
            blocks.append(Block(figure=figure, tables=(score_table(result),)))
        elif figure.id == "adjacency-heads":
            blocks.append(Block(figure=figure, tables=head_tables(result)))
        elif figure.id == "adjacency-variance":
            blocks.append(Block(figure=figure, tables=variance_tables(result)))
        else:
            blocks.append(Block(figure=figure, tables=similarity_tables(result, figure.id)))
    if not any(block.figure and block.figure.id == "adjacency-layers" for block in blocks):
        blocks.insert(0, Block(figure=None, beside=score_table(result)))
    return tuple(blocks)
