"""The examinations of all probes of one kind, and those of their control."""

from collections.abc import Iterator, Sequence

from posprobe.analysis.probes import ProbeKind
from posprobe.pipeline.probing.examination import Examination
from posprobe.pipeline.probing.outcome import Outcome
from posprobe.pipeline.probing.samples import Sample
from posprobe.pipeline.probing.study import Study
from posprobe.pipeline.probing.target import Guesses


class Findings:
    """Compares what probes guess with what is true, reading by reading.

    Attributes:
        examinations: All sums, by name.
    """

    def __init__(self, study: Study, *, seeds: int = 1) -> None:
        """Prepare empty sums.

        Args:
            study: What is probed.
            seeds: How many guesses of each token the probes make; their control makes one.
        """
        self._study = study
        self._true, self._shuffled = (
            [
                Examination(study.known, documents=study.test_documents, seeds=n)
                for _ in study.readings
            ]
            for n in (seeds, 1)
        )
        self.examinations = {
            f"{name} {index}": examination
            for name, found in (("true", self._true), ("shuffled", self._shuffled))
            for index, examination in enumerate(found)
        }

    def update(self, reading: int, sample: Sample, guesses: Guesses, control: Guesses) -> None:
        """Add a batch.

        Args:
            reading: What the guesses come from, by its number.
            sample: The tokens.
            guesses: What the probes guess.
            control: What the probes of shuffled labels guess.
        """
        self._true[reading].update(sample.documents, sample.labels, guesses)
        self._shuffled[reading].update(sample.documents, sample.shuffled, control)

    def outcomes(
        self, probe: ProbeKind, *, n_train: int, penalties: Sequence[dict[str, float]] = ()
    ) -> Iterator[Outcome]:
        """Give the scores of every reading and target.

        Args:
            probe: The kind of probe.
            n_train: Tokens they learned from.
            penalties: The penalty of each target, reading by reading; empty if there is none.
        """
        for index, reading in enumerate(self._study.readings):
            scores = self._true[index].scores(seed=self._study.chosen.seed)
            control = self._shuffled[index].headlines()
            for target in self._study.known:
                yield Outcome(
                    reading=reading,
                    target=target.name,
                    probe=probe,
                    scores=scores[target.name],
                    shuffled=control[target.name],
                    penalty=penalties[index][target.name] if penalties else None,
                    n_train=n_train,
                )
