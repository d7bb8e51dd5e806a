"""From checkpoints to a report of the shape that positions take in them."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from posprobe.activations.states import stream_states
from posprobe.analysis.manifold import Manifold, ManifoldResult, measure_manifold
from posprobe.analysis.position_means import PositionMeans
from posprobe.core.errors import UserError
from posprobe.core.provenance import CheckpointSource, TokenSource
from posprobe.data.token_set import TokenSet
from posprobe.loaders import load, read_position_table
from posprobe.models.protocol import Model, PositionTable
from posprobe.pipeline.batching import model_batches
from posprobe.pipeline.cached import cached
from posprobe.pipeline.opening import load_options, short_names, step_folders
from posprobe.pipeline.options import ManifoldOptions
from posprobe.pipeline.progress import Progress, silent
from posprobe.pipeline.record import provenance
from posprobe.pipeline.sites import available, expand_sites, layer_of
from posprobe.pipeline.tokens import corpus_tokens
from posprobe.report.report import Report

Measured = tuple[tuple[Manifold, ...], CheckpointSource, TokenSource | None]


def manifold(*refs: str, progress: Progress = silent, **options: Any) -> Report:
    """Describe the curve that positions draw in a position table or in the states.

    The measure of arXiv 2605.30022 with nulls beside each number; see `Manifold` for how to
    read it.

    Args:
        *refs: Checkpoints, compared in one table.
        progress: Shows how far the work is.
        **options: The fields of `ManifoldOptions`.

    Raises:
        UserError: If a checkpoint, its table, the corpus or a site is not to be had.
    """
    if not refs:
        raise UserError("manifold: name at least one checkpoint")
    chosen = ManifoldOptions(**options)
    measured = [
        _measure(ref, label, chosen, progress)
        for name, given in zip(short_names(list(refs)), refs, strict=True)
        for ref, label in _in_time(given, name, chosen)
    ]
    result = ManifoldResult(manifolds=tuple(m for found, _, _ in measured for m in found))
    used = [tokens for _, _, tokens in measured if tokens is not None]
    sources = [source for _, source, _ in measured]
    return Report(
        measure="manifold",
        result=result,
        provenance=provenance("manifold", chosen, sources, used, refs=list(refs)),
    )


def _in_time(ref: str, name: str, chosen: ManifoldOptions) -> list[tuple[str, str]]:
    """Pair a checkpoint with its label, after the kept steps of its training if asked for."""
    steps = step_folders(ref) if chosen.steps == "all" else []
    # Steps are named as the user named the checkpoint, so that names stay short.
    return [*((f"{ref}/{s.name}", f"{name}, {_spoken(s.name)}") for s in steps), (ref, name)]


def _spoken(folder: str) -> str:
    return f"step {int(folder.removeprefix('step-')):,}"


def may_read_table(chosen: ManifoldOptions) -> bool:
    """Tell whether the options ask for the learned table where there is one."""
    return chosen.source != "states" and not chosen.site


def _measure(ref: str, name: str, chosen: ManifoldOptions, progress: Progress) -> Measured:
    if chosen.source == "table" and chosen.site:
        raise UserError("--source table reads no states; leave out --site")
    if may_read_table(chosen):
        table, source = read_position_table(ref, **load_options(chosen))
        if table is not None:
            shape = partial(_measure_table, table, name, source, chosen)
            return _kept(shape, name, chosen, source), source, None
        if chosen.source == "table":
            raise UserError(f"{ref}: has no learned position table; use --source states")
    model, tokens = open_states(ref, chosen)
    shapes = partial(_measure_states, model, name, tokens, chosen, progress)
    kept = _kept(shapes, name, chosen, model.source, tokens.source)
    return kept, model.source, tokens.source


def _kept(
    shapes: Callable[[], tuple[Manifold, ...]],
    name: str,
    chosen: ManifoldOptions,
    source: CheckpointSource,
    tokens: TokenSource | None = None,
) -> tuple[Manifold, ...]:
    """Measure one checkpoint by itself, so that each is kept whatever it is compared with."""
    return cached(
        tuple[Manifold, ...],
        shapes,
        measure="manifold",
        name=name,
        chosen=chosen,
        source=source,
        tokens=tokens,
    )


def open_states(ref: str, chosen: ManifoldOptions) -> tuple[Model, TokenSet]:
    """Open the model and the documents, and check the sites."""
    model = load(ref, **load_options(chosen))
    _sites(model, chosen)
    tokens = corpus_tokens(
        model,
        chosen.corpus,
        documents=chosen.documents,
        seed=chosen.seed,
        length=chosen.length,
    )
    return model, tokens


def _measure_table(
    table: PositionTable, name: str, source: CheckpointSource, chosen: ManifoldOptions
) -> tuple[Manifold, ...]:
    rows, notes = table.rows, []
    if table.offset:
        notes.append(f"{table.offset} leading rows that no token reads are left out")
    if table.trained is not None and table.trained < len(rows):
        notes.append(f"rows from {table.trained} on were never trained and are left out")
        rows = rows[: table.trained]
    shape = measure_manifold(
        rows,
        label=name,
        checkpoint=source.ref,
        site="table",
        seed=chosen.seed,
        draws=chosen.draws,
        note="; ".join(notes) or None,
        **_training(source),
    )
    return (shape,)


def _training(source: CheckpointSource) -> dict[str, Any]:
    """Take the step and the held-out loss from a checkpoint's records, where they say."""
    evaluation = source.trained.get("evaluation") or {}
    return {"step": source.trained.get("steps"), "loss": evaluation.get("loss")}


def _measure_states(
    model: Model, name: str, tokens: TokenSet, chosen: ManifoldOptions, progress: Progress
) -> tuple[Manifold, ...]:
    sites = _sites(model, chosen)
    n_positions = chosen.positions
    if n_positions is None:
        n_positions = int(np.median(_text_lengths(tokens)))
    means = {site: PositionMeans(n_positions, site=site) for site in sites}
    steps = model_batches(model, tokens, chosen, progress, what=name)
    for batch, states in stream_states(model, steps, sites, device=chosen.device):
        for site, activation in states.items():
            means[site].update(activation.flatten(2), batch.text_mask)
    return tuple(_describe(means, model, name, tokens, chosen))


def _describe(
    means: dict[str, PositionMeans],
    model: Model,
    name: str,
    tokens: TokenSet,
    chosen: ManifoldOptions,
) -> Iterator[Manifold]:
    for site, sums in means.items():
        found = sums.result()
        note = f"mean over {found.documents} documents of {tokens.name}"
        if found.too_short:
            note += f"; {found.too_short} end before position {len(found.rows) - 1}"
        yield measure_manifold(
            found.rows,
            label=name,
            checkpoint=model.source.ref,
            site=site,
            layer=layer_of(site),
            seed=chosen.seed,
            draws=chosen.draws,
            note=note,
            **_training(model.source),
        )


def _sites(model: Model, chosen: ManifoldOptions) -> list[str]:
    if chosen.site:
        return expand_sites(model, chosen.site)
    suffixes = [f"_{stream}" for stream in model.info.streams] or [""]
    return available(model, [f"hook_resid_post{suffix}" for suffix in suffixes])


def _text_lengths(tokens: TokenSet) -> np.ndarray:
    return np.array([np.isin(row, tokens.special_ids, invert=True).sum() for row in tokens])
