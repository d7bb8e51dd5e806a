"""Which measures apply to a checkpoint, and with which of their options."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from posprobe.core.options import RunOptions
from posprobe.data.vocabulary import CharVocabulary
from posprobe.loaders import load
from posprobe.models.decoder import Decoder
from posprobe.models.protocol import Model
from posprobe.pipeline.adjacency import adjacency
from posprobe.pipeline.decomposition import decomposition
from posprobe.pipeline.heads import heads
from posprobe.pipeline.holmes import holmes
from posprobe.pipeline.manifold import manifold
from posprobe.pipeline.opening import load_options
from posprobe.pipeline.options import (
    AdjacencyOptions,
    DecompositionOptions,
    HeadsOptions,
    ManifoldOptions,
    ProbeOptions,
)
from posprobe.pipeline.phenomena.options import HolmesOptions
from posprobe.pipeline.probe import probe
from posprobe.pipeline.report_options import ReportOptions
from posprobe.pipeline.tokens import GENERATED, RANDOM
from posprobe.report.report import Report

NO_VOCABULARY = (
    "the checkpoint has no vocabulary beside it; name one by --tokenizer, or use "
    "--corpus random-tokens"
)
NO_SPELLING = "the checkpoint has no vocabulary beside it; name one by --tokenizer"


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What decides which measures apply to a checkpoint.

    Attributes:
        ref: The checkpoint.
        terms: Whether its attention logits are a sum of known terms.
        table: Whether it has a learned position table.
        readable: Whether there are tokens to run it on.
        spells: Whether it has a vocabulary.
        characters: Whether its vocabulary is one of characters.
        uncausable: Whether its causal mask can be taken off.
    """

    ref: str
    terms: bool
    table: bool
    readable: bool
    spells: bool
    characters: bool
    uncausable: bool


@dataclass(frozen=True, kw_only=True)
class Applied:
    """How a page runs one measure.

    Attributes:
        run: The measure.
        options: The class of its options.
        together: Whether it takes several checkpoints at once.
        obstacle: Why it does not apply to a checkpoint, or nothing.
        extra: Options that depend on the checkpoint; only for measures of one checkpoint.
    """

    run: Callable[..., Report]
    options: type[RunOptions]
    together: bool
    obstacle: Callable[[Facts], str | None]
    extra: Callable[[Facts, ReportOptions], dict[str, Any]] = lambda facts, chosen: {}


def _readable(facts: Facts) -> str | None:
    return None if facts.readable else NO_VOCABULARY


def _spells(facts: Facts) -> str | None:
    return None if facts.spells else NO_SPELLING


def _has_terms(facts: Facts) -> str | None:
    if not facts.terms:
        return "its attention logits are not a sum of known terms"
    return _readable(facts)


def _adjacency_extra(facts: Facts, chosen: ReportOptions) -> dict[str, Any]:
    extra: dict[str, Any] = {"noncausal": facts.uncausable}
    if chosen.corpus is None and not facts.characters:
        extra["corpus"] = GENERATED  # prompts are spelt in characters
    return extra


APPLIED = {
    "manifold": Applied(
        run=manifold,
        options=ManifoldOptions,
        together=True,
        obstacle=lambda facts: None if facts.table else _readable(facts),
    ),
    "heads": Applied(run=heads, options=HeadsOptions, together=False, obstacle=_has_terms),
    "adjacency": Applied(
        run=adjacency,
        options=AdjacencyOptions,
        together=False,
        obstacle=_readable,
        extra=_adjacency_extra,
    ),
    "probe": Applied(run=probe, options=ProbeOptions, together=True, obstacle=_readable),
    "decomposition": Applied(
        run=decomposition, options=DecompositionOptions, together=False, obstacle=_readable
    ),
    "holmes": Applied(run=holmes, options=HolmesOptions, together=True, obstacle=_spells),
}
"""How each measure is run for a page; the names are those of `MEASURES`."""


def facts_of(ref: str, chosen: ReportOptions) -> Facts:
    """Open a checkpoint and note what decides which measures apply.

    Raises:
        CheckpointError: If there is no such checkpoint, or it cannot be read whole.
    """
    model: Model = load(ref, **load_options(chosen))
    return Facts(
        ref=ref,
        terms=bool(model.info.logit_terms),
        table=model.position_table() is not None,
        spells=model.tokenizer is not None,
        readable=model.tokenizer is not None or chosen.corpus == RANDOM,
        characters=isinstance(model.tokenizer, CharVocabulary),
        uncausable=isinstance(model, Decoder) and model.cfg.causal,
    )


def options_for(measure: str, chosen: ReportOptions) -> dict[str, Any]:
    """Take from the options of a page those that a measure has and that were given."""
    known = {field.name: field.default for field in fields(APPLIED[measure].options)}
    given = {field.name: getattr(chosen, field.name) for field in fields(chosen)}
    return {name: value for name, value in given.items() if name in known and value is not None}
