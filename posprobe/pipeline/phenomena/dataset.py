"""One data set of Holmes on one model: vectors, probes, score."""

import numpy as np

from posprobe.analysis.holmes import METRICS, DatasetScore
from posprobe.analysis.holmes_score import ProbeOutcome, score_dataset
from posprobe.core.errors import UserError
from posprobe.data.holmes.dataset import HolmesDataset
from posprobe.data.holmes.map import Place
from posprobe.data.holmes.tokens import HolmesTokens, holmes_tokens
from posprobe.data.tokenizer import OffsetTokenizer
from posprobe.models.protocol import Model
from posprobe.pipeline.phenomena.options import HolmesOptions
from posprobe.pipeline.phenomena.record import Record
from posprobe.pipeline.phenomena.states import sample_vectors
from posprobe.pipeline.phenomena.subject import Subject
from posprobe.pipeline.tokens import fitting_tokenizer, longest_sequence


def measure_dataset(
    subject: Subject, dataset: HolmesDataset, place: Place, chosen: HolmesOptions
) -> Record:
    """Run the model over a data set, and train and examine the probes of each place.

    Args:
        subject: The model.
        dataset: The data set.
        place: Its field and phenomenon.
        chosen: The options.
    """
    tokens = tokens_of(subject.model, dataset, chosen)
    sites = dict.fromkeys(subject.places.values())
    vectors = sample_vectors(subject.model, tokens, tuple(sites), chosen)
    labels, split = (x[tokens.complete] for x in (dataset.labels, dataset.split))
    scores = []
    for name, site in subject.places.items():
        outcome = score_dataset(
            vectors[site],
            labels,
            split,
            kind=dataset.kind,
            seeds=seeds_of(chosen),
            exact=chosen.exact,
            scale=chosen.scale,
            mdl=chosen.mdl,
        )
        scores.append(_score(subject, dataset, tokens, outcome, place, name))
    return Record(tokens=tokens.tokens.source, scores=tuple(scores))


def tokens_of(model: Model, dataset: HolmesDataset, chosen: HolmesOptions) -> HolmesTokens:
    """Return a data set's tokens for a model.

    Raises:
        UserError: If the model has no vocabulary, or one that cannot spell the texts.
    """
    tokenizer = fitting_tokenizer(model)
    if not isinstance(tokenizer, OffsetTokenizer):
        raise UserError(f"vocabulary {tokenizer.name}: does not say where its tokens stand")
    return holmes_tokens(
        dataset,
        tokenizer,
        n_ctx=longest_sequence(model, chosen.length),
        special=chosen.special,
    )


def seeds_of(chosen: HolmesOptions) -> tuple[int, ...]:
    """Return the seeds of the probes."""
    return tuple(range(chosen.seed, chosen.seed + chosen.seeds))


def _score(
    subject: Subject,
    dataset: HolmesDataset,
    tokens: HolmesTokens,
    outcome: ProbeOutcome,
    place: Place,
    name: str,
) -> DatasetScore:
    split = dataset.split[tokens.complete]
    by_seed = np.array(outcome.by_seed)
    score = float(by_seed.mean())
    notes = [outcome.note] if outcome.note else []
    if dataset.unused:
        notes.append(f"{dataset.unused} rows have no set-0 and were not used")
    train, dev, test = (int((split == part).sum()) for part in range(3))
    return DatasetScore(
        checkpoint=subject.name,
        condition=subject.condition,
        place=name,
        site=subject.places[name],
        dataset=dataset.name,
        field=place[0],
        phenomenon=place[1],
        kind=dataset.kind,
        metric=METRICS[dataset.kind],
        score=score,
        sd=float(by_seed.std(ddof=1)) if len(by_seed) > 1 else float("nan"),
        by_seed=outcome.by_seed,
        shuffled=outcome.shuffled,
        selectivity=score - max(0.0, outcome.shuffled),
        classes=len(dataset.classes),
        n_train=train,
        n_dev=dev,
        n_test=test,
        left_out=int((~tokens.complete).sum()),
        truncated=int((tokens.complete & tokens.cut).sum()),
        codelength=outcome.codelength,
        undefined=outcome.undefined,
        note="; ".join(notes) or None,
    )
