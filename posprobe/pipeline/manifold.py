"""From checkpoints to a report of the shape that positions take in them.

What runs a model is imported when one is run: a table is measured in less time than torch takes
to be imported.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from posprobe.analysis.manifold import Manifold, ManifoldResult, measure_manifold
from posprobe.core.errors import UserError
from posprobe.core.provenance import CheckpointSource, TokenSource
from posprobe.loaders import read_position_table
from posprobe.models.position_table import PositionTable
from posprobe.pipeline.cached import cached
from posprobe.pipeline.opening import load_options, short_names, step_folders
from posprobe.pipeline.options import ManifoldOptions
from posprobe.pipeline.progress import Progress, silent
from posprobe.pipeline.record import provenance
from posprobe.pipeline.training_facts import training_facts
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
    from posprobe.pipeline.manifold_states import measure_states, open_states

    model, tokens = open_states(ref, chosen)
    shapes = partial(measure_states, model, name, tokens, chosen, progress)
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
        **training_facts(source),
    )
    return (shape,)
