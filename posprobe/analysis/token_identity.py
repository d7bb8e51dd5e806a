"""What the id of a token alone says about a target: the control of the probes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from posprobe.analysis.penalty_choice import best_penalties, require_folds

SHRINKAGES = tuple(float(shrinkage) for shrinkage in np.logspace(-2, 6, 17))
"""From a guess that trusts a token seen once to one that hardly trusts any; two per decade."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TokenGuess:
    """A guess of each target for each token id.

    Attributes:
        table: One row per id; ids never seen have the guess for an unknown token.
        shrinkage: How many sightings the guess for an unknown token is worth, by target.
    """

    table: Float[np.ndarray, "vocabulary target"]
    shrinkage: Float[np.ndarray, " target"]

    def predict(self, ids: Int[np.ndarray, " sample"]) -> Float[np.ndarray, "sample target"]:
        """Guess the targets of each token from its id."""
        return self.table[ids]


class TokenMeans:
    """Adds up targets by token id and fold; memory grows with the vocabulary, not the corpus.

    The guess is the mean of the target over the sightings of an id, drawn towards a centre
    as if the centre had been seen some times too. That is ridge regression on the
    indicators of the ids, whose Gram matrix is diagonal: counts and sums are enough.

    >>> means = TokenMeans(folds=2, vocabulary=3, targets=1)
    >>> ids = np.array([0, 1, 0, 1])
    >>> means.update(ids, 10.0 * ids[:, None], np.array([0, 0, 1, 1]))
    >>> means.fit().predict(np.arange(3)).round().T.tolist()
    [[0.0, 10.0, 5.0]]
    """

    def __init__(self, *, folds: int, vocabulary: int, targets: int) -> None:
        """Prepare empty sums.

        Args:
            folds: Groups of training documents, the same as for the probes.
            vocabulary: Ids are below it.
            targets: Columns of the targets; a class has one column per class, 1 or 0.
        """
        self._counts = np.zeros((folds, vocabulary))
        self._totals = np.zeros((folds, vocabulary, targets))
        self._squares = np.zeros((folds, targets))
        # Sums are taken about the first batch's mean, so that large means do not cancel.
        self._origin: Float[np.ndarray, " target"] | None = None

    def update(
        self,
        ids: Int[np.ndarray, " sample"],
        targets: Float[np.ndarray, "sample target"],
        fold: Int[np.ndarray, " sample"],
    ) -> None:
        """Add tokens.

        Args:
            ids: The id of each token.
            targets: One row per token, finite.
            fold: The fold of each token's document, from 0.
        """
        if not len(ids):
            return
        if self._origin is None:
            self._origin = targets.mean(axis=0, dtype=np.float64)
        centred = targets - self._origin
        np.add.at(self._counts, (fold, ids), 1)
        np.add.at(self._totals, (fold, ids), centred)
        np.add.at(self._squares, fold, centred**2)

    def merge(self, other: "TokenMeans") -> None:
        """Add what another one has summed, as if its tokens had come here."""
        if other._origin is None:
            return
        if self._origin is None:
            self._origin = other._origin
        # The other's sums are taken about its own origin.
        shift = other._origin - self._origin
        totals = other._totals.sum(axis=1)
        seen = other._counts.sum(axis=1)[:, None]
        self._counts += other._counts
        self._totals += other._totals + other._counts[..., None] * shift
        self._squares += other._squares + 2 * shift * totals + seen * shift**2

    def fit(
        self, *, groups: Sequence[int] | None = None, shrinkages: Sequence[float] = SHRINKAGES
    ) -> TokenGuess:
        """Shrink as serves best on held-out folds, then use them all.

        The same as scikit-learn's `Ridge(alpha=shrinkage)` on the indicators of the ids.

        Args:
            groups: One label per target; those of one label share a shrinkage. None: each
                target has its own.
            shrinkages: What to choose from, above 0, in sightings.

        Raises:
            UserError: If fewer than two folds have tokens, or the groups do not fit.
        """
        assert min(shrinkages) > 0, "without shrinkage, an unknown token has no guess"
        filled = require_folds(self._counts.sum(axis=1))
        assert self._origin is not None
        seen = self._counts.any(axis=0)
        counts, totals = self._counts[:, seen], self._totals[:, seen]
        errors = np.zeros((len(shrinkages), totals.shape[2]))
        for fold in filled:
            rest = counts.sum(axis=0) - counts[fold], totals.sum(axis=0) - totals[fold]
            for row, shrinkage in enumerate(shrinkages):
                guess = _shrunk(*rest, np.full(totals.shape[2], shrinkage))[0]
                cross, square = guess * totals[fold], guess**2 * counts[fold][:, None]
                errors[row] += self._squares[fold] + (square - 2 * cross).sum(axis=0)
        best = np.asarray(shrinkages, dtype=np.float64)[best_penalties(errors, groups)]
        guess, centre = _shrunk(counts.sum(axis=0), totals.sum(axis=0), best)
        table = np.tile(centre + self._origin, (self._counts.shape[1], 1))
        table[seen] = guess + self._origin
        return TokenGuess(table=table, shrinkage=best)


def _shrunk(
    counts: Float[np.ndarray, " token"],
    totals: Float[np.ndarray, "token target"],
    shrinkage: Float[np.ndarray, " target"],
) -> tuple[Float[np.ndarray, "token target"], Float[np.ndarray, " target"]]:
    """Return the guess for each id, and the centre: the intercept of the ridge.

    The centre is the mean of the ids' means, each counting by how far it is drawn in; with
    strong shrinkage that is the mean over tokens.
    """
    pull = shrinkage / (counts[:, None] + shrinkage)
    centre = (pull * totals).sum(axis=0) / (pull * counts[:, None]).sum(axis=0)
    return (totals + shrinkage * centre) / (counts[:, None] + shrinkage), centre
