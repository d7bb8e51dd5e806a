"""What a measure would run on, without running it."""

from typing import Any

from posprobe.core.options import RunOptions
from posprobe.data.token_set import TokenSet
from posprobe.loaders import load
from posprobe.models.protocol import Model
from posprobe.pipeline.adjacency import conditions_of, open_models, read_sequences, sites_of
from posprobe.pipeline.applying import APPLIED
from posprobe.pipeline.decomposition import group_count, open_decomposition
from posprobe.pipeline.heads import open_heads
from posprobe.pipeline.manifold import may_read_table
from posprobe.pipeline.manifold_states import open_states
from posprobe.pipeline.opening import load_options, report_folder
from posprobe.pipeline.options import (
    AdjacencyOptions,
    DecompositionOptions,
    HeadsOptions,
    ManifoldOptions,
    ProbeOptions,
)
from posprobe.pipeline.phenomena.options import HolmesOptions
from posprobe.pipeline.phenomena.plan import plan_holmes
from posprobe.pipeline.probing.readings import readings_of
from posprobe.pipeline.probing.study import open_study

_BYTES = {"float64": 8, "float32": 4, "bfloat16": 2, "float16": 2}
_SITES_PER_LAYER = 3


def plan(measure: str, refs: list[str], **options: Any) -> dict[str, Any]:
    """Open the checkpoints and the corpus, and count.

    Args:
        measure: One that a page can have.
        refs: The checkpoints.
        **options: The measure's options.

    Returns:
        What is read, documents, tokens, and an estimate of the memory, by checkpoint.
    """
    chosen = APPLIED[measure].options(**options)
    facts: dict[str, Any] = {"measure": measure, "report": report_folder(refs)}
    for ref in refs:
        if isinstance(chosen, HolmesOptions):
            found = plan_holmes(ref, chosen)
        else:
            found = _plan_one(ref, chosen)
        # With one checkpoint the names stay short.
        facts |= found if len(refs) == 1 else {f"{ref}: {name}": v for name, v in found.items()}
    return facts


def _plan_one(ref: str, chosen: RunOptions) -> dict[str, Any]:
    model, tokens = _inputs(ref, chosen)
    found: dict[str, Any] = {"parameters": model.info.n_parameters}
    if tokens is None:
        return found | {"reads": "the position table only; no text is run"}
    return found | {
        "reads": tokens.name,
        "documents": len(tokens),
        "tokens": int(tokens.ids.size),
        "longest": tokens.longest,
        "truncated": tokens.truncated,
        "too_short": tokens.too_short,
        "memory_mib": round(_memory(model, tokens.longest, chosen) / 2**20),
    }


def _inputs(ref: str, chosen: RunOptions) -> tuple[Model, TokenSet | None]:
    """Open what the measure would, with every check it would make."""
    if isinstance(chosen, AdjacencyOptions):
        models = open_models(ref, chosen)
        model = next(iter(models.values()))
        tokens = read_sequences(model, chosen)
        for condition in conditions_of(models, tokens, chosen):
            sites_of(condition.model, chosen)
        return model, tokens
    if isinstance(chosen, ProbeOptions):
        model, study = open_study(ref, ref, chosen)
        return model, study.corpus.tokens
    if isinstance(chosen, HeadsOptions):
        return open_heads(ref, chosen)
    if isinstance(chosen, DecompositionOptions):
        return open_decomposition(ref, chosen)
    assert isinstance(chosen, ManifoldOptions), chosen
    if may_read_table(chosen):
        model = load(ref, **load_options(chosen))
        if model.position_table() is not None:
            return model, None
    return open_states(ref, chosen)


def _memory(model: Model, longest: int, chosen: RunOptions) -> int:
    """Estimate the bytes of the weights, of one batch's activations or scores, and of sums."""
    info, size = model.info, _BYTES[chosen.dtype]
    weights = info.n_parameters * size
    if isinstance(chosen, HeadsOptions):
        terms = len(info.logit_terms) + 2
        return weights + chosen.batch_size * info.n_heads * longest**2 * terms * size
    if isinstance(chosen, DecompositionOptions):
        return weights + _decomposition_memory(model, longest, chosen)
    states = chosen.batch_size * longest * info.d_model * info.n_layers
    held = weights + states * _SITES_PER_LAYER * size
    if isinstance(chosen, ProbeOptions):
        held += len(readings_of(model, chosen)) * _probe_memory(info.d_model, chosen)
    return held


def _decomposition_memory(model: Model, longest: int, chosen: DecompositionOptions) -> int:
    """Estimate the bytes of the sums by group, and of one layer's scores of a batch."""
    info, groups = model.info, group_count(model, longest)
    pairs = info.n_heads * longest**2
    sums = groups * info.n_layers * (pairs + longest * info.d_model) * _BYTES["float64"]
    return sums + 3 * chosen.batch_size * pairs * _BYTES[chosen.dtype]


def _probe_memory(width: int, chosen: ProbeOptions) -> int:
    """Estimate the bytes that the probes of one reading keep until they are fitted."""
    sums = chosen.folds * width**2 * _BYTES["float64"]
    kept = chosen.mlp_tokens * width * _BYTES["float32"]
    return sum(sums if kind == "linear" else kept for kind in chosen.probe or ("linear",))
