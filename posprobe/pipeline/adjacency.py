"""From a checkpoint to a report of adjacency scores."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import Tensor

from posprobe.activations.states import stream_states
from posprobe.analysis.adjacency import AdjacencyResult
from posprobe.analysis.adjacency_sums import AdjacencySums
from posprobe.core.errors import UserError
from posprobe.data.token_set import TokenSet
from posprobe.loaders import is_configuration, load, load_random, load_skeleton
from posprobe.models.decoder import Decoder
from posprobe.models.protocol import Model
from posprobe.pipeline.batching import model_batches
from posprobe.pipeline.measured import measured
from posprobe.pipeline.opening import load_options
from posprobe.pipeline.options import AdjacencyOptions
from posprobe.pipeline.parts import Part
from posprobe.pipeline.progress import Progress, silent
from posprobe.pipeline.sites import EMBEDDING, available, expand_sites, layer_of
from posprobe.pipeline.summed import summed
from posprobe.pipeline.tokens import alike, corpus_tokens, only_alike, permuted, task_tokens
from posprobe.report.report import Report

Z = "attn.hook_z"
DEFAULT_SITES = (EMBEDDING, Z, "hook_attn_out", "hook_resid_post")


@dataclass(frozen=True, kw_only=True)
class Condition:
    """One model and one set of sequences."""

    name: str
    model: Model
    tokens: TokenSet


def adjacency(ref: str, *, progress: Progress = silent, **options: Any) -> Report:
    """Score how strongly states resemble the states next to them, layer by layer.

    The measure of arXiv 2501.00073; see `AdjacencyScore` for how to read it.

    Args:
        ref: A checkpoint, or the name of a configuration with `init=True`.
        progress: Shows how far the work is.
        **options: The fields of `AdjacencyOptions`.

    Raises:
        UserError: If the checkpoint, the sequences or a site is not to be had.

    >>> report = adjacency("nanogpt-nope-paper", init=True, prompts=4)
    >>> first = [s for s in report.result.scores if s.site == "blocks.0.attn.hook_z"][0]
    >>> first.triples_mean > 0.9
    True
    """
    chosen = AdjacencyOptions(**options)
    # Of a configuration no weights are needed yet: drawing many takes longer than a look at
    # what was measured before.
    drawn = chosen.init and is_configuration(ref)
    first = load_skeleton(ref, chosen.tokenizer) if drawn else load(ref, **load_options(chosen))
    tokens = read_sequences(first, chosen)

    def measure() -> AdjacencyResult:
        models = open_models(ref, chosen, checkpoint=None if drawn else first)
        return _result(ref, models, tokens, chosen, progress)

    return measured(
        AdjacencyResult,
        measure,
        measure="adjacency",
        ref=ref,
        chosen=chosen,
        source=first.source,
        tokens=tokens.source,
    )


def _result(
    ref: str,
    models: dict[str, Model],
    tokens: TokenSet,
    chosen: AdjacencyOptions,
    progress: Progress,
) -> AdjacencyResult:
    conditions = conditions_of(models, tokens, chosen)
    empty = [_empty(condition, chosen) for condition in conditions]
    found = [sums for own in empty for sums in own]

    def add(part: Part | None) -> None:
        for condition, own in zip(conditions, empty, strict=True):
            _fill(own, condition, chosen, progress, part)

    summed({str(number): sums for number, sums in enumerate(found)}, add)
    whole = [sums for sums in found if sums.head is None]
    return AdjacencyResult(
        checkpoint=ref,
        task=tokens.name,
        ties=chosen.ties,
        average=chosen.average,
        scores=tuple(score for sums in found for score in sums.scores(seed=chosen.seed)),
        similarity=tuple(sums.similarity() for sums in whole if _is_pictured(sums.site, chosen)),
        variance=tuple(sums.variance() for sums in whole),
        sequences=len(tokens),
        length=int((~np.isin(tokens[0], tokens.special_ids)).sum()),
    )


def open_models(
    ref: str, chosen: AdjacencyOptions, *, checkpoint: Model | None = None
) -> dict[str, Model]:
    """Open the checkpoint and the random models that were asked for, by condition."""
    models: dict[str, Model] = {}
    # A named configuration has no weights of its own: with --init, none are needed.
    if not (chosen.init and is_configuration(ref)):
        models["checkpoint"] = checkpoint or load(ref, **load_options(chosen))
    for index in range(chosen.init_seeds if chosen.init else 0):
        seed = chosen.seed + index
        name = "random init" if chosen.init_seeds == 1 else f"random init, seed {seed}"
        models[name] = load_random(
            ref,
            seed=seed,
            mean=chosen.init_mean,
            std=chosen.init_std,
            **load_options(chosen),
        )
    return models


def read_sequences(model: Model, chosen: AdjacencyOptions) -> TokenSet:
    """Read the prompts or documents, all of one length."""
    if chosen.corpus is None:
        tokens = task_tokens(
            model,
            chosen.task,
            prompts=chosen.prompts,
            seed=chosen.seed,
            front_pad=chosen.front_pad,
        )
    else:
        length = min(model.info.n_ctx, 64) if chosen.length is None else chosen.length
        tokens = corpus_tokens(
            model,
            chosen.corpus,
            documents=chosen.prompts,
            seed=chosen.seed,
            length=length,
            min_tokens=length,
        )
    return only_alike(tokens)


def conditions_of(
    models: dict[str, Model], tokens: TokenSet, chosen: AdjacencyOptions
) -> list[Condition]:
    """Pair each model with its sequences: those asked for, and their controls."""
    conditions = [Condition(name=n, model=m, tokens=tokens) for n, m in models.items()]
    first = conditions[0].model
    if chosen.noncausal:
        conditions.append(Condition(name="non-causal", model=_noncausal(first), tokens=tokens))
    if chosen.permute:
        rows = permuted(alike(tokens), tokens.special_ids, seed=chosen.seed)
        mixed = TokenSet.from_rows(rows, name=tokens.name, special_ids=tokens.special_ids)
        conditions.append(Condition(name="permuted tokens", model=first, tokens=mixed))
    return conditions


def _noncausal(model: Model) -> Model:
    if not isinstance(model, Decoder) or not model.cfg.causal:
        raise UserError(
            f"{model.source.ref}: --noncausal needs a causal model of the nanoGPT family"
        )
    return model.noncausal()


def sites_of(model: Model, chosen: AdjacencyOptions) -> list[str]:
    """Return the sites to score."""
    return expand_sites(model, chosen.site) if chosen.site else available(model, DEFAULT_SITES)


def _empty(condition: Condition, chosen: AdjacencyOptions) -> list[AdjacencySums]:
    model = condition.model
    return [
        AdjacencySums(
            condition=condition.name,
            site=site,
            layer=layer_of(site),
            head=head,
            ties=chosen.ties,
            draws=chosen.draws,
            seed=chosen.seed,
        )
        for site in sites_of(model, chosen)
        for head in _heads(model, site, chosen)
    ]


def _fill(
    sums: list[AdjacencySums],
    condition: Condition,
    chosen: AdjacencyOptions,
    progress: Progress,
    part: Part | None,
) -> None:
    model, sites = condition.model, list(dict.fromkeys(item.site for item in sums))
    steps = model_batches(model, condition.tokens, chosen, progress, what=condition.name, part=part)
    for batch, states in stream_states(model, steps, sites, device=chosen.device):
        # Special tokens stand in the same columns of all sequences: they were chosen so.
        text = batch.text_mask.all(dim=0)
        for item in sums:
            item.update(_of_head(states[item.site][:, text], item.head), batch.documents)


def _heads(model: Model, site: str, chosen: AdjacencyOptions) -> list[int | None]:
    by_head = chosen.per_head and site.endswith(Z)
    return [None, *(range(model.info.n_heads) if by_head else ())]


def _of_head(states: Tensor, head: int | None) -> Tensor:
    """Take one head's part of a state, or the heads side by side."""
    return states.flatten(2) if head is None else states[:, :, head]


def _is_pictured(site: str, chosen: AdjacencyOptions) -> bool:
    return bool(chosen.site) or site == EMBEDDING or site.endswith(Z)
