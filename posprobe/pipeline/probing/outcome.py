"""What every kind of probe does, and what it finds."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from posprobe.analysis.probes import ProbeKind, Score
from posprobe.pipeline.probing.readings import Reading
from posprobe.pipeline.probing.samples import Sample
from posprobe.pipeline.progress import Progress


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How well one probe read one target.

    Attributes:
        reading: What it read.
        target: Name of the target.
        probe: The kind of probe.
        scores: On the test documents.
        shuffled: The headline score of the same probe on shuffled labels.
        penalty: The chosen ridge penalty; None for an MLP.
        n_train: Tokens it learned from.
    """

    reading: Reading
    target: str
    probe: ProbeKind
    scores: tuple[Score, ...]
    shuffled: float
    penalty: float | None
    n_train: int


@runtime_checkable
class Probes(Protocol):
    """Probes of one kind: for every reading and target."""

    def learn(self, sample: Sample) -> None:
        """Take in training tokens."""
        ...

    def fit(self, progress: Progress, *, what: str) -> None:
        """Fit the probes; what was taken in is let go."""
        ...

    def examine(self, sample: Sample) -> None:
        """Guess test tokens and compare."""
        ...

    def outcomes(self) -> Iterator[Outcome]:
        """Give what was found, for every reading and target."""
        ...
