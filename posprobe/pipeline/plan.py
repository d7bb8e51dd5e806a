"""What a measure would run on, without running it."""

from typing import Any

from posprobe.data.token_set import TokenSet
from posprobe.loaders import load
from posprobe.models.protocol import Model, ModelInfo
from posprobe.pipeline.adjacency import conditions_of, open_models, read_sequences, sites_of
from posprobe.pipeline.heads import open_heads
from posprobe.pipeline.manifold import may_read_table, open_states
from posprobe.pipeline.opening import load_options, report_folder
from posprobe.pipeline.options import AdjacencyOptions, HeadsOptions, ManifoldOptions

_OPTIONS = {"manifold": ManifoldOptions, "heads": HeadsOptions, "adjacency": AdjacencyOptions}
_BYTES = {"float64": 8, "float32": 4, "bfloat16": 2, "float16": 2}
_SITES_PER_LAYER = 3


def plan(measure: str, refs: list[str], **options: Any) -> dict[str, Any]:
    """Open the checkpoints and the corpus, and count.

    Args:
        measure: `manifold`, `heads` or `adjacency`.
        refs: The checkpoints.
        **options: The measure's options.

    Returns:
        What is read, documents, tokens, and an estimate of the memory, by checkpoint.
    """
    chosen = _OPTIONS[measure](**options)
    facts: dict[str, Any] = {"measure": measure, "report": report_folder(refs)}
    for ref in refs:
        model, tokens = _inputs(ref, chosen)
        found: dict[str, Any] = {"parameters": model.info.n_parameters}
        if tokens is None:
            found["reads"] = "the position table only; no text is run"
        else:
            found |= {
                "reads": tokens.name,
                "documents": len(tokens),
                "tokens": int(tokens.ids.size),
                "longest": tokens.longest,
                "truncated": tokens.truncated,
                "too_short": tokens.too_short,
                "memory_mib": round(_memory(model.info, tokens.longest, chosen) / 2**20),
            }
        # With one checkpoint the names stay short.
        facts |= found if len(refs) == 1 else {f"{ref}: {name}": v for name, v in found.items()}
    return facts


def _inputs(
    ref: str, chosen: ManifoldOptions | HeadsOptions | AdjacencyOptions
) -> tuple[Model, TokenSet | None]:
    """Open what the measure would, with every check it would make."""
    if isinstance(chosen, AdjacencyOptions):
        models = open_models(ref, chosen)
        model = next(iter(models.values()))
        tokens = read_sequences(model, chosen)
        for condition in conditions_of(models, tokens, chosen):
            sites_of(condition.model, chosen)
        return model, tokens
    if isinstance(chosen, HeadsOptions):
        return open_heads(ref, chosen)
    if may_read_table(chosen):
        model = load(ref, **load_options(chosen))
        if model.position_table() is not None:
            return model, None
    return open_states(ref, chosen)


def _memory(
    info: ModelInfo, longest: int, chosen: ManifoldOptions | HeadsOptions | AdjacencyOptions
) -> int:
    """Estimate the bytes of the weights and of one batch's activations or scores."""
    size = _BYTES[chosen.dtype]
    weights = info.n_parameters * size
    if isinstance(chosen, HeadsOptions):
        terms = len(info.logit_terms) + 2
        return weights + chosen.batch_size * info.n_heads * longest**2 * terms * size
    states = chosen.batch_size * longest * info.d_model * info.n_layers
    return weights + states * _SITES_PER_LAYER * size
