"""From checkpoints to a report of the linguistic phenomena that probes read from their states."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from posprobe.analysis.holmes import OTHER, DatasetScore, HolmesResult
from posprobe.analysis.holmes_means import compare_models, field_scores, phenomenon_scores
from posprobe.core.errors import UserError
from posprobe.core.files import require_writable
from posprobe.core.provenance import TokenSource
from posprobe.data.holmes.folder import list_datasets, read_dataset
from posprobe.data.holmes.map import Place, read_map, shipped_map
from posprobe.loaders import load
from posprobe.models.protocol import Model
from posprobe.pipeline.opening import load_options, short_names
from posprobe.pipeline.phenomena.dataset import measure_dataset, seeds_of
from posprobe.pipeline.phenomena.notes import holmes_notes
from posprobe.pipeline.phenomena.options import HolmesOptions
from posprobe.pipeline.phenomena.places import places_of
from posprobe.pipeline.phenomena.record import Record, Records
from posprobe.pipeline.phenomena.subject import Subject
from posprobe.pipeline.progress import Progress, silent
from posprobe.pipeline.record import provenance
from posprobe.pipeline.tokens import fitting_tokenizer
from posprobe.report.report import Report

CHECKPOINT, RANDOM = "checkpoint", "random init"


@dataclass(frozen=True, kw_only=True)
class Study:
    """What all models are measured on.

    Attributes:
        folders: The data sets.
        known: Field and phenomenon by data set.
        chosen: The options.
        progress: Shown how many data sets are done.
    """

    folders: Sequence[Path]
    known: Mapping[str, Place]
    chosen: HolmesOptions
    progress: Progress

    def place(self, dataset: str) -> Place:
        """Return the field and phenomenon; an unknown data set is a phenomenon of its own."""
        return self.known.get(dataset, (OTHER, dataset))


def holmes(*refs: str, progress: Progress = silent, **options: Any) -> Report:
    """Say which linguistic phenomena a linear probe reads from the states of each checkpoint.

    The probing of the Holmes benchmark (Waldis et al. 2024), of which Flash-Holmes is the smaller
    set, on data sets in its form on disk. The benchmark's own script downloads them
    (github.com/Holmes-Benchmark/holmes-evaluation, data/flash-holmes/download.py);
    `posprobe holmes-data` makes some from BLiMP and from treebanks without a network. A run that
    was stopped goes on after the last data set it finished. See `DatasetScore` for how to read a
    score.

    Args:
        *refs: Checkpoints; of several, every two are compared.
        progress: Shows how far the work is.
        **options: The fields of `HolmesOptions`.

    Raises:
        UserError: If a checkpoint, a data set or a site is not to be had; data sets are checked
            before any model runs.
    """
    if not refs:
        raise UserError("holmes: name at least one checkpoint")
    study = open_study(HolmesOptions(**options), progress)
    chosen = study.chosen
    if chosen.cache is not None:
        require_writable(Path(chosen.cache).expanduser(), "--cache")
    for folder in progress(study.folders, total=len(study.folders), what="reading the data sets"):
        read_dataset(folder)
    names = short_names(list(refs))
    sources, tokens, scores = [], [], []
    for ref, name in zip(refs, names, strict=True):
        model = open_model(ref, chosen)
        sources.append(model.source)
        for subject in subjects_of(model, name, chosen):
            records = _measure(subject, study)
            scores += _scores(subject, records, study)
            if subject.condition == CHECKPOINT:
                tokens.append(_token_source(study, records))
    # Where finished data sets are kept says nothing about the result.
    told = replace(chosen, cache=None)
    return Report(
        measure="holmes",
        result=_result(study, names, scores),
        provenance=provenance("holmes", told, sources, tokens, refs=list(refs)),
    )


def open_study(chosen: HolmesOptions, progress: Progress) -> Study:
    """Find the data sets and the map.

    Raises:
        UserError: If one of them is not to be had.
    """
    assert chosen.data is not None, "the options ask for it"
    known = shipped_map() | (read_map(Path(chosen.map).expanduser()) if chosen.map else {})
    folders = list_datasets(Path(chosen.data).expanduser(), only=chosen.only)
    return Study(folders=folders, known=known, chosen=chosen, progress=progress)


def open_model(ref: str, chosen: HolmesOptions) -> Model:
    """Open a checkpoint and check that it can be measured.

    Raises:
        UserError: If it is not to be had, has no fitting vocabulary, or lacks a site.
    """
    model = load(ref, **load_options(chosen))
    fitting_tokenizer(model)
    places_of(model, chosen)
    return model


def subjects_of(model: Model, name: str, chosen: HolmesOptions) -> Iterator[Subject]:
    """Give the model and, if it was asked for, the same architecture with random weights."""
    places = places_of(model, chosen)
    yield Subject(name=name, condition=CHECKPOINT, model=model, places=places)
    if chosen.init:
        random = model.reinit(chosen.seed)
        yield Subject(name=name, condition=RANDOM, model=random, places=places)


def _measure(subject: Subject, study: Study) -> list[Record]:
    records = Records(subject, study.chosen)
    what = f"{subject.name}, {subject.condition}"
    folders = study.progress(study.folders, total=len(study.folders), what=what)
    return [records.load(folder) or _finish(subject, folder, records, study) for folder in folders]


def _finish(subject: Subject, folder: Path, records: Records, study: Study) -> Record:
    dataset = read_dataset(folder)
    record = measure_dataset(subject, dataset, study.place(dataset.name), study.chosen)
    records.save(folder, record)
    return record


def _scores(subject: Subject, records: Sequence[Record], study: Study) -> Iterator[DatasetScore]:
    """Give the scores under the names of this run: a record may come from another one."""
    for record in records:
        for score in record.scores:
            field, phenomenon = study.place(score.dataset)
            yield replace(score, checkpoint=subject.name, field=field, phenomenon=phenomenon)


def _result(study: Study, names: Sequence[str], scores: Sequence[DatasetScore]) -> HolmesResult:
    phenomena = phenomenon_scores(scores)
    return HolmesResult(
        data=Path(study.chosen.data or "").expanduser().resolve().name,
        seeds=seeds_of(study.chosen),
        checkpoints=tuple(names),
        places=tuple(dict.fromkeys(score.place for score in scores)),
        scores=tuple(scores),
        phenomena=phenomena,
        fields=field_scores(phenomena),
        comparisons=compare_models(scores),
        notes=holmes_notes(scores),
    )


def _token_source(study: Study, records: Sequence[Record]) -> TokenSource:
    """Sum up what a model ran on."""
    digest = hashlib.sha256()
    for record in records:
        digest.update(bytes.fromhex(record.tokens.sha256))
    return TokenSource(
        name=f"{study.chosen.data}: the texts of {len(records)} data sets",
        sha256=digest.hexdigest(),
        documents=sum(record.tokens.documents for record in records),
        tokens=sum(record.tokens.tokens for record in records),
        truncated=sum(record.tokens.truncated for record in records),
        special_ids=records[0].tokens.special_ids,
    )
