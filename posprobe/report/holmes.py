"""The page section of the `holmes` measure."""

from typing import Any

from posprobe.analysis.holmes import HolmesResult
from posprobe.figures.holmes import ALL, holmes_figures, present
from posprobe.figures.holmes_points import examined
from posprobe.report.holmes_headline import field_of, headline
from posprobe.report.holmes_tables import (
    comparison_table,
    dataset_table,
    field_table,
    overview,
    phenomenon_table,
)
from posprobe.report.section import Block, Section

COLUMNS = {
    "checkpoint": "the model; of a comparison both, joined by ` vs `",
    "condition": "`checkpoint`, or `random init` for the same architecture with random weights",
    "place": "which states were read: `last layer`, or a site's name",
    "site": "hook name of these states in this model",
    "level": "what the row is about: a `dataset`, a `phenomenon` (mean over its data sets), a "
    "`field` (mean over its phenomena; `all` over every one) or a `comparison`",
    "field": "`morphology`, `syntax`, `semantics`, `reasoning`, `discourse`, or `other`",
    "phenomenon": "the phenomenon; its name is unique within the field",
    "dataset": "the data set",
    "metric": "`macro_f1`, `pearson`, or `mdl` for codelengths, of single data sets",
    "quantity": "what `value` is: the mean `score` over seeds, its `sd`, the score of one seed "
    "(`by_seed`), the score with `shuffled` labels, the `selectivity` over it, a codelength "
    "(`bits`, `uniform_bits`, `compression`), a count, or what a comparison found (`better`, "
    "`worse`, `ties`, `phenomena`, `p_value`)",
    "seed": "index of the probe's seed, from 0, for `by_seed`",
    "value": "the number; empty where it is undefined",
    "undefined": "why there is no score; else empty",
}
"""The columns of `holmes.csv`; the JSON file has the same numbers as nested fields."""


def holmes_section(result: HolmesResult) -> Section:
    """Describe what a page says of a Holmes result.

    Args:
        result: Scores by checkpoint, place, field and phenomenon.
    """
    return Section(
        measure="holmes",
        title="What the states know of language",
        headline=headline(result),
        what="For each data set a linear probe learns to answer from the model's states, whose "
        "weights stay as they are, whether a text has some property. Data sets test phenomena, "
        "such as island effects, and phenomena belong to five fields, from the forms of words to "
        "whole texts.",
        reading="Each score is the mean over seeds of the probe on test samples: macro-F1 (1 is "
        "best), or Pearson r where the labels are numbers. Compare it with the same probe on "
        "shuffled labels and on random weights. Two models are compared by the phenomena on which "
        "one scores higher; a small p says that a fair coin would rarely do so.",
        source="Benchmark, probe and fields follow Flash-Holmes (Waldis et al. 2024, arXiv "
        "2404.18923); the comparison by phenomena follows “Give it Space!” (arXiv 2605.30022); "
        "the controls and the sign test are ours.",
        limits="A probe shows that something can be read, not that the model uses it. Scores "
        "depend on the data sets at hand, so they compare only with scores on the same ones. The "
        "bars leave out the choice of samples, and the sign test takes phenomena as independent, "
        "which related ones are not.",
        overview=overview(result),
        blocks=_blocks(result),
        columns=COLUMNS,
        glance=_glance(result),
    )


def _blocks(result: HolmesResult) -> tuple[Block, ...]:
    figures = holmes_figures(result)
    remark = " ".join(result.notes)
    if not figures:
        return (Block(figure=None, remark=remark or "No data set has a score."),)
    beside = comparison_table(result) if result.comparisons else None
    first = Block(figure=figures[0], beside=beside, tables=(field_table(result),), remark=remark)
    fields = zip(present(result), figures[1:], strict=True)
    return (
        first,
        *(
            Block(
                figure=figure,
                tables=(phenomenon_table(result, field), dataset_table(result, field)),
            )
            for field, figure in fields
        ),
    )


def _glance(result: HolmesResult) -> dict[str, dict[str, Any]]:
    means = {m: field_of(result, m, ALL) for m in examined(result) if not m.control}
    return {
        model.checkpoint: {f"mean score over {found.phenomena} linguistic phenomena": found.score}
        for model, found in means.items()
        if found is not None
    }
