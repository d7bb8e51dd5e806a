"""Scores of guesses on the test documents, for all targets of a probe at once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Int

from posprobe.analysis.class_scores import ClassScores
from posprobe.analysis.number_scores import NumberScores
from posprobe.analysis.probes import Score
from posprobe.core.arrays import Arrays, joined, split
from posprobe.pipeline.probing.target import Guesses, Target


class Examination:
    """Compares guesses with the truth, batch by batch."""

    def __init__(self, targets: Sequence[Target], *, documents: int, seeds: int = 1) -> None:
        """Prepare empty sums.

        Args:
            targets: What is guessed.
            documents: How many test documents there are.
            seeds: How many guesses of each token there are, if guesses have that axis in front.
        """
        self._numbers = [target for target in targets if target.kind == "number"]
        self._classes = [target for target in targets if target.kind == "class"]
        spans = np.array([target.span for target in self._numbers])
        self._number_scores = NumberScores(documents=documents, spans=spans, seeds=seeds)
        self._class_scores = {
            target.name: ClassScores(documents=documents, classes=len(target.classes), seeds=seeds)
            for target in self._classes
        }

    def update(
        self,
        documents: Int[np.ndarray, " sample"],
        labels: Int[np.ndarray, "target sample"],
        guesses: Guesses,
    ) -> None:
        """Add a batch.

        Args:
            documents: Which test document each token is in.
            labels: What is true.
            guesses: What was guessed, by target.
        """
        if self._numbers:
            truth = np.stack([target.truth(labels) for target in self._numbers], axis=-1)
            guess = np.stack([guesses[target.name] for target in self._numbers], axis=-1)
            self._number_scores.update(documents, truth, guess)
        for target in self._classes:
            scores = self._class_scores[target.name]
            scores.update(documents, target.truth(labels), guesses[target.name])

    def merge(self, other: "Examination") -> None:
        """Add what another one has compared, of the same documents."""
        for name, scores in self._parts().items():
            scores.merge(other._parts()[name])

    def arrays(self) -> Arrays:
        """Return all that was summed, for `restore`."""
        return joined({name: scores.arrays() for name, scores in self._parts().items()})

    def restore(self, arrays: Arrays) -> None:
        """Take the place of the one whose `arrays` these are; made alike, still empty."""
        found = split(arrays)
        for name, scores in self._parts().items():
            scores.restore(found[name])

    def scores(self, *, seed: int) -> dict[str, tuple[Score, ...]]:
        """Return the scores of each target, with intervals over documents."""
        numbers = self._number_scores.scores(seed=seed) if self._numbers else []
        found: dict[str, tuple[Score, ...]] = {
            target.name: scores for target, scores in zip(self._numbers, numbers, strict=True)
        }
        return found | {
            name: scores.scores(seed=seed) for name, scores in self._class_scores.items()
        }

    def headlines(self) -> dict[str, float]:
        """Return the score that headlines of each target, without an interval."""
        numbers = self._number_scores.scores(draws=1, seed=0) if self._numbers else []
        found = {t.name: scores[0].value for t, scores in zip(self._numbers, numbers, strict=True)}
        return found | {
            name: scores.scores(draws=1, seed=0)[0].value
            for name, scores in self._class_scores.items()
        }

    def _parts(self) -> dict[str, Any]:
        numbers = {"numbers": self._number_scores} if self._numbers else {}
        return {**numbers, **{f"class {name}": s for name, s in self._class_scores.items()}}
