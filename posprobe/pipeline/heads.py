"""From a checkpoint to a report of what its attention heads go by."""

from dataclasses import replace
from functools import partial
from typing import Any

from posprobe.activations.logits import feed_logit_terms, require_terms
from posprobe.analysis.head_sums import HeadSums
from posprobe.analysis.heads import HeadsResult
from posprobe.data.token_set import TokenSet
from posprobe.loaders import load
from posprobe.models.protocol import Model
from posprobe.pipeline.batching import model_batches
from posprobe.pipeline.measured import measured
from posprobe.pipeline.opening import load_options, short_names
from posprobe.pipeline.options import HeadsOptions
from posprobe.pipeline.parts import Part
from posprobe.pipeline.progress import Progress, silent
from posprobe.pipeline.summed import summed
from posprobe.pipeline.tokens import corpus_tokens
from posprobe.report.report import Report

INIT, TRAINED = "random init", "checkpoint"


def heads(ref: str, *, progress: Progress = silent, **options: Any) -> Report:
    """Split the attention logits of every head among absolute position, meaning and distance.

    After arXiv 2605.30022; see `HeadsResult` for how to read the shares.

    Args:
        ref: A checkpoint whose logits are a sum of terms (DSTG, RP).
        progress: Shows how far the work is.
        **options: The fields of `HeadsOptions`.

    Raises:
        UserError: If the model has no exact terms, or a checkpoint or corpus is not to be had.
    """
    chosen = HeadsOptions(**options)
    model, tokens = open_heads(ref, chosen)
    return measured(
        HeadsResult,
        lambda: _measure(model, tokens, chosen, progress),
        measure="heads",
        ref=ref,
        chosen=chosen,
        source=model.source,
        tokens=tokens.source,
    )


def open_heads(ref: str, chosen: HeadsOptions) -> tuple[Model, TokenSet]:
    """Open the model and the documents.

    Raises:
        UserError: If the model has no exact terms, or a checkpoint or corpus is not to be had.
    """
    model = load(ref, **load_options(chosen))
    require_terms(model)
    tokens = corpus_tokens(
        model,
        chosen.corpus,
        documents=chosen.documents,
        seed=chosen.seed,
        length=chosen.length,
    )
    return model, replace(tokens, special_ids=()) if chosen.special else tokens


def _measure(
    model: Model, tokens: TokenSet, chosen: HeadsOptions, progress: Progress
) -> HeadsResult:
    info = model.info
    conditions = (INIT, TRAINED) if chosen.init else (TRAINED,)
    sums = {what: HeadSums(info.n_layers, info.n_heads, info.logit_terms) for what in conditions}

    def add(part: Part | None) -> None:
        for what, own in sums.items():
            run = model.reinit(chosen.seed) if what == INIT else model
            found = model_batches(run, tokens, chosen, progress, what=what, part=part)
            feed_logit_terms(run, found, own.update, device=chosen.device)

    summed(sums, add)
    (name,) = short_names([model.source.ref])
    result = partial(HeadSums.result, checkpoint=name, threshold=chosen.threshold)
    return result(sums[TRAINED], init=result(sums[INIT]) if chosen.init else None)
