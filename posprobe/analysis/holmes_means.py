"""From the scores of data sets to phenomena, fields, and who is better on how many."""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import TypeVar

import numpy as np

from posprobe.analysis.holmes import (
    Comparison,
    DatasetScore,
    FieldScore,
    PhenomenonScore,
)
from posprobe.analysis.sign_test import sign_test

T = TypeVar("T")
Key = tuple[str, ...]

ALL = "all"
"""The field that stands for every phenomenon."""
CHECKPOINT = "checkpoint"
"""The condition of a model with its trained weights."""


def phenomenon_scores(scores: Iterable[DatasetScore]) -> tuple[PhenomenonScore, ...]:
    """Average the data sets of each phenomenon, which is known by its field and its name.

    Data sets without a score are left out.
    """
    groups = _grouped(scores, lambda s: (s.checkpoint, s.condition, s.place, s.field, s.phenomenon))
    return tuple(_phenomenon(key, members) for key, members in groups.items())


def field_scores(phenomena: Iterable[PhenomenonScore]) -> tuple[FieldScore, ...]:
    """Average the phenomena of each field, and of all fields; each phenomenon counts once."""
    known = list(phenomena)
    whole = _grouped(known, lambda s: (s.checkpoint, s.condition, s.place, ALL))
    fields = _grouped(known, lambda s: (s.checkpoint, s.condition, s.place, s.field))
    return tuple(_field(key, members) for key, members in (fields | whole).items())


def compare_models(scores: Sequence[DatasetScore]) -> tuple[Comparison, ...]:
    """Count for every two models the phenomena on which one has the higher score.

    A model is a checkpoint under a condition. A phenomenon is compared by the data sets for which
    both models have a score.
    """
    models = _grouped(scores, lambda s: (s.place, s.checkpoint, s.condition))
    pairs = (
        (first, second)
        for first, second in combinations(models, 2)
        # Random weights are compared with the same checkpoint's only.
        if first[0] == second[0] and (first[2] == second[2] == CHECKPOINT or first[1] == second[1])
    )
    return tuple(_comparison(first, second, models) for first, second in pairs)


def _comparison(first: Key, second: Key, models: dict[Key, list[DatasetScore]]) -> Comparison:
    theirs = {score.dataset: score for score in models[second]}
    differences: dict[Key, list[float]] = {}
    for score in models[first]:
        other = theirs.get(score.dataset)
        if other is not None and score.undefined is None and other.undefined is None:
            place = (score.field, score.phenomenon)
            differences.setdefault(place, []).append(score.score - other.score)
    # Rounded, so that scores that are equal but for rounding tie.
    signs = np.sign(np.round([np.mean(found) for found in differences.values()], 12))
    better, worse = int((signs > 0).sum()), int((signs < 0).sum())
    p_value, undefined = sign_test(better, worse)
    return Comparison(
        first=_name(first),
        second=_name(second),
        place=first[0],
        better=better,
        worse=worse,
        ties=len(signs) - better - worse,
        p_value=p_value,
        undefined=undefined,
    )


def _name(model: Key) -> str:
    return model[1] if model[2] == CHECKPOINT else f"{model[1]}, {model[2]}"


def _phenomenon(key: Key, members: list[DatasetScore]) -> PhenomenonScore:
    scored = [score for score in members if score.undefined is None]
    reasons = dict.fromkeys(str(score.undefined) for score in members)
    checkpoint, condition, place, field, phenomenon = key
    return PhenomenonScore(
        checkpoint=checkpoint,
        condition=condition,
        place=place,
        field=field,
        phenomenon=phenomenon,
        score=_mean([score.score for score in scored]),
        by_seed=_mean_by_seed([score.by_seed for score in scored]),
        shuffled=_mean([score.shuffled for score in scored]),
        datasets=len(scored),
        undefined=None if scored else "; ".join(reasons),
    )


def _field(key: Key, members: list[PhenomenonScore]) -> FieldScore:
    scored = [score for score in members if score.undefined is None]
    checkpoint, condition, place, field = key
    return FieldScore(
        checkpoint=checkpoint,
        condition=condition,
        place=place,
        field=field,
        score=_mean([score.score for score in scored]),
        by_seed=_mean_by_seed([score.by_seed for score in scored]),
        shuffled=_mean([score.shuffled for score in scored]),
        phenomena=len(scored),
        datasets=sum(score.datasets for score in scored),
    )


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else float("nan")


def _mean_by_seed(values: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(np.mean(values, axis=0).tolist()) if values else ()


def _grouped(items: Iterable[T], key: Callable[[T], Key]) -> dict[Key, list[T]]:
    groups: dict[Key, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups
