"""Linear probes of every reading and target, fitted from sums."""

from collections.abc import Iterator

import numpy as np
import torch

from posprobe.analysis.ridge import Ridge
from posprobe.pipeline.probing.findings import Findings
from posprobe.pipeline.probing.outcome import Outcome
from posprobe.pipeline.probing.samples import Sample
from posprobe.pipeline.probing.study import Study
from posprobe.pipeline.probing.sums import ProbeSums
from posprobe.pipeline.probing.target import Columns
from posprobe.pipeline.progress import Progress


class LinearProbes:
    """Ridge probes, with the same probes of shuffled labels beside them.

    One set of sums per reading serves all targets; memory does not grow with the documents.

    Attributes:
        learned: The sums over training tokens.
        findings: What guesses of test tokens are like.
    """

    def __init__(self, study: Study) -> None:
        self._study = study
        self._columns = Columns(study.known)
        self._ridges: list[Ridge] = []
        self.learned = ProbeSums(
            [reading.site for reading in study.readings],
            folds=study.chosen.folds,
            targets=2 * len(self._columns.groups),
        )
        self.findings = Findings(study)

    def learn(self, sample: Sample) -> None:
        """Add training tokens to the sums."""
        columns = [self._columns.encode(labels) for labels in (sample.labels, sample.shuffled)]
        targets = torch.from_numpy(np.concatenate(columns, axis=1))
        self.learned.update(sample.states, targets, torch.from_numpy(sample.fold))

    def fit(self, progress: Progress, *, what: str) -> None:
        """Choose the penalty of each target and fit, reading by reading."""
        groups = self._columns.groups
        # The shuffled columns have penalties of their own.
        groups = [*groups, *(len(self._study.known) + group for group in groups)]
        sums = self.learned.readings
        total = len(sums)
        for _ in progress(range(total), total=total, what=f"{what}: linear probes"):
            self._ridges.append(sums.pop(0).fit(groups=groups))

    def examine(self, sample: Sample) -> None:
        """Guess test tokens and compare."""
        half = len(self._columns.groups)
        for reading, (ridge, states) in enumerate(zip(self._ridges, sample.states, strict=True)):
            guess = ridge.predict(states)
            true, control = (self._columns.decode(g) for g in (guess[:, :half], guess[:, half:]))
            self.findings.update(reading, sample, true, control)

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
        yield from self.findings.outcomes("linear", n_train=self._ridges[0].n, penalties=penalties)
