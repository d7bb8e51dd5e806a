"""From checkpoints to a report of which positions can be read from their states."""

from contextlib import suppress
from functools import partial
from typing import Any

from posprobe.analysis.probes import ProbeKind, ProbeScore, ProbesResult
from posprobe.core.errors import UserError
from posprobe.models.protocol import Model
from posprobe.pipeline.cached import array_hash, cached
from posprobe.pipeline.opening import short_names
from posprobe.pipeline.options import ProbeOptions
from posprobe.pipeline.parts import Part, PartDone, the_part
from posprobe.pipeline.probing.identity import identity_scores
from posprobe.pipeline.probing.linear import LinearProbes
from posprobe.pipeline.probing.mlp import NetworkProbes
from posprobe.pipeline.probing.notes import probe_notes
from posprobe.pipeline.probing.outcome import Outcome, Probes
from posprobe.pipeline.probing.samples import stream_samples
from posprobe.pipeline.probing.scores import probe_scores
from posprobe.pipeline.probing.study import Study, conditions_of, open_study
from posprobe.pipeline.progress import Progress, silent
from posprobe.pipeline.record import provenance
from posprobe.pipeline.summed import summed
from posprobe.report.report import Report


def probe(*refs: str, progress: Progress = silent, **options: Any) -> Report:
    """Say from which states a simple probe can read where a token stands.

    Probes learn from some documents and are examined on others, the same ones for every
    checkpoint. See `ProbeScore` for how to read a score and its controls.

    Args:
        *refs: Checkpoints, or names of configurations, which have random weights only.
        progress: Shows how far the work is.
        **options: The fields of `ProbeOptions`.

    Raises:
        UserError: If a checkpoint, the corpus, a target or a site is not to be had.
    """
    if not refs:
        raise UserError("probe: name at least one checkpoint")
    chosen = ProbeOptions(**options)
    names = short_names(list(refs))
    found = [_measure(ref, n, chosen, progress) for ref, n in zip(refs, names, strict=True)]
    studies = [study for study, _ in found]
    corpus = studies[0].corpus
    result = ProbesResult(
        corpus=corpus.tokens.name,
        targets=corpus.train.text.targets,
        train_documents=len(corpus.train.text.tokens),
        test_documents=len(corpus.test.text.tokens),
        scores=tuple(score for _, scores in found for score in scores),
        notes=probe_notes(studies),
    )
    sources = [study.source for study in studies]
    tokens = [study.corpus.tokens.source for study in studies]
    return Report(
        measure="probe",
        result=result,
        provenance=provenance("probe", chosen, sources, tokens, refs=list(refs)),
    )


def _measure(
    ref: str, name: str, chosen: ProbeOptions, progress: Progress
) -> tuple[Study, tuple[ProbeScore, ...]]:
    model, study = open_study(ref, name, chosen)
    sides = (study.corpus.train.text, study.corpus.test.text)
    scores = cached(
        tuple[ProbeScore, ...],
        lambda: _scores(model, study, progress),
        measure="probe",
        name=name,
        chosen=chosen,
        source=study.source,
        tokens=study.corpus.tokens.source,
        # Where sentences end and what words are is not in the tokens.
        also=[array_hash(*(part for s in sides for part in (s.labels, s.counted)))],
    )
    return study, scores


def _scores(model: Model, study: Study, progress: Progress) -> tuple[ProbeScore, ...]:
    found = []
    for condition, probed in conditions_of(model, study.chosen):
        with suppress(PartDone):  # the next condition has sums of its own
            found.append((condition, _probe(probed, study, condition, progress)))
    if the_part() is not None:
        raise PartDone
    identity = identity_scores(study, d_vocab=model.info.d_vocab)
    return tuple(
        score
        for condition, outcomes in found
        for score in probe_scores(study, condition, outcomes, identity)
    )


def _probe(model: Model, study: Study, condition: str, progress: Progress) -> list[Outcome]:
    """Run the model once over each side; every probe learns and is examined on the way."""
    if not study.known:
        return []
    probes = [_probes(kind, study) for kind in study.probes]
    what = f"{study.name}, {condition}"
    stream = partial(stream_samples, model, study, progress=progress, what=what)

    def learn(part: Part | None) -> None:
        for sample in stream(held_out=False, part=part):
            for each in probes:
                each.learn(sample)

    def examine(part: Part | None) -> None:
        for sample in stream(held_out=True, part=part):
            for each in probes:
                each.examine(sample)

    # Only linear probes follow from sums; a corpus that networks learn from is never cut.
    linear = next((each for each in probes if isinstance(each, LinearProbes)), None)
    learned = {"linear": linear.learned} if linear else {}
    summed(learned, learn, stage="learning", condition=condition)
    for each in probes:
        each.fit(progress, what=what)
    examined = linear.findings.examinations if linear else {}
    summed(examined, examine, stage="examination", condition=condition)
    return [outcome for each in probes for outcome in each.outcomes()]


def _probes(kind: ProbeKind, study: Study) -> Probes:
    return LinearProbes(study) if kind == "linear" else NetworkProbes(study, kind)
