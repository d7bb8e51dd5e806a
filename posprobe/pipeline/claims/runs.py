"""The measurements that the papers' claims rest on, each made once and only if asked for."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from posprobe.core.references import find_local
from posprobe.models.config import NAMED_CONFIGS
from posprobe.pipeline.adjacency import adjacency
from posprobe.pipeline.claims.options import ReproduceOptions
from posprobe.pipeline.heads import heads
from posprobe.pipeline.holmes import holmes
from posprobe.pipeline.manifold import manifold
from posprobe.pipeline.opening import load_options
from posprobe.pipeline.probe import probe
from posprobe.pipeline.progress import Progress, silent
from posprobe.report.report import Report

UNTRAINED = "nanogpt-nope-paper"
"""The configuration that is measured before any training."""


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much is measured.

    Attributes:
        documents: Documents for heads and manifolds.
        probed: Documents for probes.
        prompts: Prompts of a symbolic task.
        sequences: Random sequences for the probes of NoPE models.
        seeds: Random initialisations.
    """

    documents: int
    probed: int
    prompts: int
    sequences: int
    seeds: int


QUICK = Size(documents=48, probed=300, prompts=25, sequences=200, seeds=1)
WHOLE = Size(documents=200, probed=800, prompts=100, sequences=1000, seeds=3)


@dataclass
class ClaimRuns:
    """Runs measures when a claim asks for them, and keeps what was found.

    Attributes:
        chosen: The options.
        progress: Shows how far the work is.
        found: The reports, in the order they were made; what a page shows as evidence.
        missing: What checkpoints that are not here were called.
    """

    chosen: ReproduceOptions
    progress: Progress = silent
    found: list[Report] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    @property
    def size(self) -> Size:
        """How much is measured."""
        return QUICK if self.chosen.quick else WHOLE

    def has(self, ref: str) -> bool:
        """Say whether a checkpoint is here; if not, remember why its claims go untested."""
        here = find_local(ref) is not None
        if not here and ref not in self.missing:
            self.missing.append(ref)
        return here

    @cached_property
    def tables(self) -> Report | None:
        """The position tables of the DSTG and the AP model, step by step where kept."""
        return self._of(manifold, [self.chosen.dstg, self.chosen.ap])

    @cached_property
    def heads(self) -> Report | None:
        """The heads of the DSTG model."""
        options = {"documents": self.size.documents, "corpus": self.chosen.corpus}
        return self._of(heads, [self.chosen.dstg], **options)

    @cached_property
    def encoders(self) -> tuple[str, ...]:
        """The encoders that are here, the DSTG model first."""
        named = (self.chosen.dstg, self.chosen.ap, self.chosen.rp, self.chosen.rope)
        return tuple(ref for ref in named if self.has(ref))

    @cached_property
    def probes(self) -> Report | None:
        """Where position is readable in the encoders."""
        options = {"documents": self.size.probed, "corpus": self.chosen.corpus}
        return self._of(probe, list(self.encoders), **options)

    @cached_property
    def features(self) -> Report | None:
        """What of a causal model's states tells position: their similarity or their length."""
        return self._of(
            probe,
            [self.chosen.nope],
            site=("attn.hook_z",),
            feature=("cosine", "norm"),
            target=("token", "to-end"),
            corpus="random-tokens",
            disjoint=True,
            documents=self.size.sequences,
        )

    @cached_property
    def phenomena(self) -> Report | None:
        """Linguistic phenomena in the DSTG model and the rotary one."""
        if self.chosen.holmes is None:
            return None
        return self._of(holmes, [self.chosen.dstg, self.chosen.rope], data=self.chosen.holmes)

    @cached_property
    def similarity(self) -> Report | None:
        """Adjacency scores of the trained NoPE model."""
        return self._of(adjacency, [self.chosen.nope], permute=True, prompts=self.size.prompts)

    @cached_property
    def trained(self) -> tuple[tuple[str, str], ...]:
        """The trained NoPE models that are here, each with its task."""
        named = {"reversal": self.chosen.nope}
        named |= {task: f"nanogpt-nope-{task}" for task in ("addition", "indexing", "ordering")}
        return tuple((ref, task) for task, ref in named.items() if self.has(ref))

    @cached_property
    def untrained(self) -> Report | None:
        """Adjacency scores of the paper's model before training, with every control."""
        return self._of(
            adjacency,
            [UNTRAINED],
            init=True,
            noncausal=True,
            permute=True,
            prompts=self.size.prompts,
        )

    def scores(self, ref: str, **options: Any) -> Report | None:
        """Adjacency scores of a model or configuration under some setting."""
        return self._of(adjacency, [ref], prompts=self.size.prompts, keep=False, **options)

    def _of(
        self, measure: Callable[..., Report], refs: list[str], *, keep: bool = True, **options: Any
    ) -> Report | None:
        if not refs or not all(ref in NAMED_CONFIGS or self.has(ref) for ref in refs):
            return None
        shared = {
            **load_options(self.chosen),
            "seed": self.chosen.seed,
            "no_cache": self.chosen.no_cache,
        }
        report = measure(*refs, progress=self.progress, **shared, **options)
        if keep:
            self.found.append(report)
        return report
