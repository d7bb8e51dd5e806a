"""From a checkpoint to a report of how much of its states and logits position decides."""

from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from posprobe.activations.logits import logit_listeners, seen_pairs, shows_logits
from posprobe.activations.states import stream_states
from posprobe.analysis.decomposition import DecompositionResult
from posprobe.analysis.logit_parts import LogitPartSums
from posprobe.analysis.state_parts import StateSums
from posprobe.core.errors import CorpusError
from posprobe.data.batches import Batch
from posprobe.data.token_set import TokenSet
from posprobe.data.vocabulary import CharVocabulary
from posprobe.loaders import load
from posprobe.models.protocol import Model
from posprobe.pipeline.batching import model_batches
from posprobe.pipeline.measured import measured
from posprobe.pipeline.opening import load_options, short_names
from posprobe.pipeline.options import DecompositionOptions
from posprobe.pipeline.parts import Part, PartDone
from posprobe.pipeline.progress import Progress, silent
from posprobe.pipeline.sites import available, layer_of, stream_of
from posprobe.pipeline.summed import summed
from posprobe.pipeline.tokens import RANDOM, corpus_tokens, only_alike
from posprobe.report.report import Report

ENTRY = "blocks.0.hook_resid_pre"
USUAL_LENGTH = 128
_MOST_GROUPS, _FEWEST_GROUPS = 10, 4
_ROOM = 1 << 31
"""Bytes that the sums of the logits should not exceed, as long as there are groups enough."""


def decomposition(ref: str, *, progress: Progress = silent, **options: Any) -> Report:
    """Split the states and the attention logits of any model into position and content.

    See `StateParts` and `LogitParts` for how to read the shares.

    Args:
        ref: A checkpoint, or the name of a configuration, which has random weights.
        progress: Shows how far the work is.
        **options: The fields of `DecompositionOptions`.

    Raises:
        UserError: If a checkpoint or corpus is not to be had, or too little of it.
    """
    chosen = DecompositionOptions(**options)
    model, tokens = open_decomposition(ref, chosen)

    def measure() -> DecompositionResult:
        init = None
        if chosen.init:
            with suppress(PartDone):  # the checkpoint has sums of its own
                random = model.reinit(chosen.seed)
                init = _measure(random, tokens, chosen, progress, what="random init")
        return _measure(model, tokens, chosen, progress, what="checkpoint", init=init)

    return measured(
        DecompositionResult,
        measure,
        measure="decomposition",
        ref=ref,
        chosen=chosen,
        source=model.source,
        tokens=tokens.source,
    )


def open_decomposition(ref: str, chosen: DecompositionOptions) -> tuple[Model, TokenSet]:
    """Open the model and documents of one length, special tokens in the same places.

    Raises:
        UserError: If a checkpoint or corpus is not to be had, or too little of it.
    """
    model = load(ref, **load_options(chosen))
    corpus = chosen.corpus
    if corpus is None and isinstance(model.tokenizer, CharVocabulary):
        corpus = RANDOM
    length = min(model.info.n_ctx, USUAL_LENGTH) if chosen.length is None else chosen.length
    tokens = only_alike(
        corpus_tokens(
            model,
            corpus,
            documents=chosen.documents,
            seed=chosen.seed,
            length=length,
            min_tokens=length,
        )
    )
    if len(tokens) < 2:
        raise CorpusError(
            f"{tokens.name}: want at least two documents of one length, to tell position from "
            "content"
        )
    if len(_places(tokens, chosen)) < 2:
        raise CorpusError(
            f"--start {chosen.start}: leaves fewer than two of the {tokens.longest} positions"
        )
    return model, tokens


def _measure(
    model: Model,
    tokens: TokenSet,
    chosen: DecompositionOptions,
    progress: Progress,
    *,
    what: str,
    init: DecompositionResult | None = None,
) -> DecompositionResult:
    suffixes = ["", *(f"_{stream}" for stream in model.info.streams)]
    names = [f"{name}{end}" for name in (ENTRY, "hook_resid_post") for end in suffixes]
    states = {site: StateSums() for site in available(model, names)}
    places = _places(tokens, chosen)
    terms = model.info.logit_terms
    logits = _logit_sums(model, places) if shows_logits(model) else None

    def add_logits(batch: Batch, layer: int, scores: Tensor, known: dict[str, Tensor]) -> None:
        assert logits is not None
        known = {name: _at(term, places) for name, term in known.items()}
        logits.update(layer, _at(scores, places), batch.documents, known)

    def add(part: Part | None) -> None:
        for batch in model_batches(model, tokens, chosen, progress, what=what, part=part):
            listen = partial(add_logits, batch)
            edits = logit_listeners(model, listen, names=terms) if logits else []
            found = stream_states(model, [batch], list(states), device=chosen.device, edits=edits)
            for _, activations in found:
                for site, activation in activations.items():
                    states[site].update(activation[:, _index(places)].flatten(2), batch.documents)

    summed({**states, **({"logits": logits} if logits else {})}, add, condition=what)
    (name,) = short_names([model.source.ref])
    return DecompositionResult(
        checkpoint=name,
        states=tuple(
            sums.result(
                site=site,
                layer=-1 if site.startswith(ENTRY) else layer_of(site),
                stream=stream_of(site, model),
                first=chosen.start,
                seed=chosen.seed,
            )
            for site, sums in states.items()
        ),
        logits=logits.result(threshold=chosen.threshold) if logits else None,
        documents=len(tokens),
        first=chosen.start,
        positions=len(places),
        reach=model.info.reach,
        init=init,
    )


def group_count(model: Model, size: int) -> int:
    """Return by how many groups of documents the logits' standard errors are estimated.

    Each group has sums of its own, which are large where sequences are long.

    Args:
        model: Whose heads are measured.
        size: How many positions count.
    """
    bytes_each = model.info.n_layers * model.info.n_heads * size**2 * 8
    return max(_FEWEST_GROUPS, min(_MOST_GROUPS, _ROOM // bytes_each))


def _places(tokens: TokenSet, chosen: DecompositionOptions) -> np.ndarray:
    """Return where the counted positions are: text, the same places in every document."""
    return np.flatnonzero(~np.isin(tokens[0], tokens.special_ids))[chosen.start :]


def _logit_sums(model: Model, places: np.ndarray) -> LogitPartSums:
    info = model.info
    return LogitPartSums(
        info.n_layers,
        info.n_heads,
        seen_pairs(info, places),
        terms=info.logit_terms,
        groups=group_count(model, len(places)),
    )


def _at(logits: Tensor, places: np.ndarray) -> Tensor:
    index = _index(places)
    return logits[..., index, :][..., index]


def _index(places: np.ndarray) -> slice | Tensor:
    """Return neighbouring places as a slice, which copies nothing."""
    first, last = int(places[0]), int(places[-1])
    if last - first + 1 == len(places):
        return slice(first, last + 1)
    return torch.from_numpy(places)
