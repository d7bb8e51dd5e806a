"""Linear probes of every reading and target, fitted from sums."""

from collections.abc import Iterator

import numpy as np
import torch

from posprobe.analysis.ridge import Ridge
from posprobe.analysis.ridge_sums import RidgeSums
from posprobe.pipeline.probe_findings import Findings
from posprobe.pipeline.probe_outcome import Outcome
from posprobe.pipeline.probe_samples import Sample
from posprobe.pipeline.probe_study import Study
from posprobe.pipeline.probe_target import Columns
from posprobe.pipeline.progress import Progress


class LinearProbes:
    """Ridge probes, with the same probes of shuffled labels beside them.

    One set of sums per reading serves all targets; memory does not grow with the documents.
    """

    def __init__(self, study: Study) -> None:
        self._study = study
        self._columns = Columns(study.known)
        self._sums: list[RidgeSums] = []
        self._ridges: list[Ridge] = []
        self._findings = Findings(study)

    def learn(self, sample: Sample) -> None:
        """Add training tokens to the sums."""
        columns = [self._columns.encode(labels) for labels in (sample.labels, sample.shuffled)]
        targets = torch.from_numpy(np.concatenate(columns, axis=1))
        fold = torch.from_numpy(sample.fold)
        if not self._sums:
            self._sums = [
                RidgeSums(
                    folds=self._study.chosen.folds,
                    width=states.shape[1],
                    targets=targets.shape[1],
                    site=reading.site,
                )
                for reading, states in zip(self._study.readings, sample.states, strict=True)
            ]
        for sums, states in zip(self._sums, sample.states, strict=True):
            sums.update(states, targets, fold)

    def fit(self, progress: Progress, *, what: str) -> None:
        """Choose the penalty of each target and fit, reading by reading."""
        groups = self._columns.groups
        # The shuffled columns have penalties of their own.
        groups = [*groups, *(len(self._study.known) + group for group in groups)]
        total = len(self._sums)
        for _ in progress(range(total), total=total, what=f"{what}: linear probes"):
            self._ridges.append(self._sums.pop(0).fit(groups=groups))

    def examine(self, sample: Sample) -> None:
        """Guess test tokens and compare."""
        half = len(self._columns.groups)
        for reading, (ridge, states) in enumerate(zip(self._ridges, sample.states, strict=True)):
            guess = ridge.predict(states)
            true, control = (self._columns.decode(g) for g in (guess[:, :half], guess[:, half:]))
            self._findings.update(reading, sample, true, control)

    def outcomes(self) -> Iterator[Outcome]:
        """Give the scores of every reading and target."""
        first = [self._columns.groups.index(group) for group in range(len(self._study.known))]
        penalties = [
            {
                target.name: float(ridge.penalty[column])
                for target, column in zip(self._study.known, first, strict=True)
            }
            for ridge in self._ridges
        ]
        yield from self._findings.outcomes("linear", n_train=self._ridges[0].n, penalties=penalties)
