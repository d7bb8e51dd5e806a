"""How often guessed classes are the true ones, on held-out documents."""

import numpy as np
from jaxtyping import Float, Int

from posprobe.analysis.document_sums import (
    CONSTANT,
    NO_TOKENS,
    add_by_document,
    seed_score,
    with_draws,
    without_groups,
)
from posprobe.analysis.probes import METRICS, Score
from posprobe.core.arrays import Arrays


class ClassScores:
    """Counts, by document, how often each class occurs, is guessed, and is guessed rightly.

    Macro-F1 is the mean of F1 over the classes that occur, so that a rare class counts as
    much as a frequent one; 1 is perfect. Accuracy is the share of tokens guessed rightly.
    Intervals are where the score falls when the documents are drawn again.

    >>> scores = ClassScores(documents=1, classes=2)
    >>> scores.update(np.zeros(4, int), np.array([0, 1, 1, 0]), np.array([0, 1, 1, 1]))
    >>> [round(score.value, 2) for score in scores.scores(seed=0)]
    [0.73, 0.75]
    """

    def __init__(self, *, documents: int, classes: int, seeds: int = 1) -> None:
        """Prepare empty counts; memory grows with documents × classes × seeds, not with tokens.

        Args:
            documents: How many documents are examined.
            classes: How many classes there are.
            seeds: How many probes guess, alike but for their seed.
        """
        self._truth = np.zeros((documents, classes))
        self._guess = np.zeros((documents, seeds, 2, classes))

    def update(
        self,
        documents: Int[np.ndarray, " sample"],
        truth: Int[np.ndarray, " sample"],
        guess: Int[np.ndarray, "*seed sample"],
    ) -> None:
        """Add tokens.

        Args:
            documents: The document of each token, from 0, in any order.
            truth: The class of each token, from 0.
            guess: What the probe says; with a leading axis if it has seeds.
        """
        if not len(documents):
            return
        true, guessed = self._indicators(truth), self._indicators(guess.reshape(-1, len(truth)))
        assert len(guessed) == self._guess.shape[1], "guesses of another number of seeds"
        guessed = guessed.transpose(1, 0, 2)
        right = guessed * true[:, None]
        add_by_document(self._truth, documents, true)
        add_by_document(self._guess, documents, np.stack([guessed, right], axis=2))

    def merge(self, other: "ClassScores") -> None:
        """Add what another one has counted of the same documents, as if it had come here."""
        self._truth += other._truth
        self._guess += other._guess

    def arrays(self) -> Arrays:
        """Return all that was counted, for `restore`."""
        return {"truth": self._truth, "guess": self._guess}

    def restore(self, arrays: Arrays) -> None:
        """Take the place of the one whose `arrays` these are; made alike, still empty."""
        self._truth, self._guess = arrays["truth"], arrays["guess"]

    def undefined(self) -> str | None:
        """Say why there is no score: `constant`, `no tokens`; else None."""
        present = int(self._truth.any(axis=0).sum())
        if present > 1:
            return None
        return CONSTANT if present else NO_TOKENS

    def scores(self, *, draws: int = 1000, seed: int) -> tuple[Score, Score]:
        """Return macro-F1 and accuracy; with seeds, each the mean over them.

        NaN if `undefined` says why. The interval is NaN with fewer than two documents.

        Args:
            draws: How often the documents are drawn again.
            seed: Seed of the draws.
        """
        parts = (self._truth, self._guess)
        value, drawn = with_draws(parts, self._metrics, draws=draws, seed=seed)
        without = without_groups(parts, self._metrics)
        first, second = METRICS["class"]
        return (
            seed_score(first, value[0], drawn[:, 0], without[:, 0]),
            seed_score(second, value[1], drawn[:, 1]),
        )

    def _indicators(
        self, classes: Int[np.ndarray, "*sample"]
    ) -> Float[np.ndarray, "*sample class"]:
        count = self._truth.shape[1]
        assert not classes.size or 0 <= classes.min() <= classes.max() < count, "unknown class"
        return (classes[..., None] == np.arange(count)).astype(np.float64)

    def _metrics(
        self, sums: Float[np.ndarray, "draw column"]
    ) -> Float[np.ndarray, "draw metric seed"]:
        """Compute the scores from counts over documents."""
        classes = self._truth.shape[1]
        true = sums[:, None, :classes]
        guess = sums[:, classes:].reshape(len(sums), -1, 2, classes)
        guessed, right = guess[:, :, 0], guess[:, :, 1]
        if self.undefined():
            return np.full((len(sums), 2, guess.shape[1]), np.nan)
        f1 = 2 * right / np.maximum(true + guessed, 1)
        macro = (f1 * (true > 0)).sum(axis=2) / (true > 0).sum(axis=2)
        return np.stack([macro, right.sum(axis=2) / true.sum(axis=2)], axis=1)
