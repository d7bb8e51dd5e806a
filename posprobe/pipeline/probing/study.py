"""What is to be probed: a checkpoint's readings, its documents and their targets."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from posprobe.analysis.probes import ProbeKind
from posprobe.core.provenance import CheckpointSource
from posprobe.loaders import is_configuration, load, load_random, load_skeleton
from posprobe.models.protocol import Model
from posprobe.pipeline.opening import load_options
from posprobe.pipeline.options import ProbeOptions
from posprobe.pipeline.probing.corpus import ProbeCorpus, open_probe_corpus
from posprobe.pipeline.probing.readings import Reading, readings_of
from posprobe.pipeline.probing.target import Target, targets_of

TRAINED, RANDOM_INIT = "checkpoint", "random init"


@dataclass(frozen=True, kw_only=True)
class Study:
    """All that the probes of one checkpoint have in common.

    Attributes:
        name: What to call the checkpoint.
        source: Where it comes from.
        corpus: The documents, as this model's tokens.
        readings: What is read of the model.
        targets: What was asked for, whether it can be probed or not.
        chosen: The options.
    """

    name: str
    source: CheckpointSource
    corpus: ProbeCorpus
    readings: tuple[Reading, ...]
    targets: tuple[Target, ...]
    chosen: ProbeOptions

    @property
    def known(self) -> tuple[Target, ...]:
        """The targets that can be probed."""
        return tuple(target for target in self.targets if target.undefined is None)

    @property
    def probes(self) -> tuple[ProbeKind, ...]:
        """The kinds of probe."""
        return cast(tuple[ProbeKind, ...], tuple(dict.fromkeys(self.chosen.probe)) or ("linear",))

    @property
    def test_documents(self) -> int:
        """How many documents the probes are examined on."""
        return len(self.corpus.test.text.tokens)


def open_study(ref: str, name: str, chosen: ProbeOptions) -> tuple[Model, Study]:
    """Open a checkpoint and its documents, and check what is asked of them.

    A configuration without weights of its own gets random ones. The study does not hold the
    model, so that one checkpoint after the other can be in memory.

    Args:
        ref: The checkpoint, or the name of a configuration.
        name: What to call it.
        chosen: The options.

    Raises:
        UserError: If the checkpoint, a site, the corpus or a target is not to be had.
    """
    if chosen.init and is_configuration(ref):
        model = load_skeleton(ref, chosen.tokenizer)
    else:
        model = load(ref, **load_options(chosen))
    readings = readings_of(model, chosen)
    corpus = open_probe_corpus(model, chosen)
    study = Study(
        name=name,
        source=model.source,
        corpus=corpus,
        readings=tuple(readings),
        targets=tuple(targets_of(corpus)),
        chosen=chosen,
    )
    return model, study


def conditions_of(model: Model, chosen: ProbeOptions) -> Iterator[tuple[str, Model]]:
    """Give the model as it is and, if asked for, with random weights; one at a time."""
    if is_configuration(model.source.ref):
        drawn = load_random(model.source.ref, seed=chosen.seed, **load_options(chosen))
        yield RANDOM_INIT, drawn
        return
    yield TRAINED, model
    if chosen.init:
        yield RANDOM_INIT, model.reinit(chosen.seed)
