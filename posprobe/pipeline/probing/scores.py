"""From what probes found to the scores of a result, controls beside them."""

from collections.abc import Iterable, Mapping

import numpy as np

from posprobe.analysis.probes import METRICS, ProbeKind, ProbeScore, Score
from posprobe.pipeline.probing.outcome import Outcome
from posprobe.pipeline.probing.readings import Reading
from posprobe.pipeline.probing.study import Study
from posprobe.pipeline.probing.target import Target

NAN = float("nan")


def probe_scores(
    study: Study, condition: str, outcomes: Iterable[Outcome], identity: Mapping[str, float]
) -> list[ProbeScore]:
    """Make one score for every probe, reading and target, those that are undefined included.

    Args:
        study: What was probed.
        condition: The weights of the model.
        outcomes: What the probes found; nothing for an undefined target.
        identity: The headline score of the token's id alone, by target.
    """
    found = {(item.probe, item.reading, item.target): item for item in outcomes}
    return [
        _score(
            study,
            condition,
            found.get((probe, reading, target.name)) or _nothing(probe, reading, target),
            target,
            identity.get(target.name, NAN),
        )
        for probe in study.probes
        for reading in study.readings
        for target in study.targets
    ]


def _score(
    study: Study, condition: str, outcome: Outcome, target: Target, identity: float
) -> ProbeScore:
    headline = outcome.scores[0].value
    return ProbeScore(
        checkpoint=study.name,
        condition=condition,
        site=outcome.reading.site,
        layer=outcome.reading.layer,
        stream=outcome.reading.stream,
        feature=outcome.reading.feature,
        target=target.name,
        kind=target.kind,
        probe=outcome.probe,
        scores=outcome.scores,
        shuffled=outcome.shuffled,
        identity=identity,
        selectivity_shuffled=_selectivity(headline, outcome.shuffled),
        selectivity_identity=_selectivity(headline, identity),
        penalty=outcome.penalty,
        n_train=outcome.n_train,
        n_test=int(study.corpus.test.text.counted.sum()),
        undefined=target.undefined,
    )


def _selectivity(score: float, control: float) -> float:
    # Unlike Python's, this maximum of a number and NaN is NaN.
    return float(score - np.maximum(0.0, control))


def _nothing(probe: ProbeKind, reading: Reading, target: Target) -> Outcome:
    scores = tuple(
        Score(metric=metric, value=NAN, low=NAN, high=NAN, by_seed=(NAN,))
        for metric in METRICS[target.kind]
    )
    return Outcome(
        reading=reading,
        target=target.name,
        probe=probe,
        scores=scores,
        shuffled=NAN,
        penalty=None,
        n_train=0,
    )
