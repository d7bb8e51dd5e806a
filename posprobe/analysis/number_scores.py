"""How near guessed numbers are to the true ones, on held-out documents."""

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

_LOST = 1e-12
"""A variance this small beside the squares it is the difference of is rounding."""
_TRUTH, _GUESS = 2, 4
"""Sums kept of the truth: itself, squared; and of a guess: itself, squared, times the truth,
squared error."""


class NumberScores:
    """Adds up truth, guess and error by document, for several targets at once.

    R² is pooled over tokens: 1 is perfect, 0 is no better than always guessing the mean of
    the documents examined, below 0 is worse. NRMSE is the root of the mean squared error
    as a share of the range of the target in training; 0 is perfect. Pearson r is −1 to 1.
    Intervals are where the score falls when the documents are drawn again.

    >>> scores = NumberScores(documents=2, spans=np.array([3.0]))
    >>> truth = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> scores.update(np.array([0, 0, 1, 1]), truth, truth)
    >>> [score.value for score in scores.scores(seed=0)[0]]
    [1.0, 0.0, 1.0]
    """

    def __init__(
        self, *, documents: int, spans: Float[np.ndarray, " target"], seeds: int = 1
    ) -> None:
        """Prepare empty sums; memory grows with documents × targets × seeds, not with tokens.

        Args:
            documents: How many documents are examined.
            spans: Range of each target over the training tokens; 0 where it is constant.
            seeds: How many probes guess, alike but for their seed.
        """
        targets = len(spans)
        self._spans = spans.astype(np.float64)
        self._tokens = np.zeros(documents)
        self._truth = np.zeros((documents, _TRUTH, targets))
        self._guess = np.zeros((documents, seeds, _GUESS, targets))
        self._lowest = np.full(targets, np.inf)
        self._highest = np.full(targets, -np.inf)
        # Sums are taken about the first batch's mean, so that large means do not cancel.
        self._origin: Float[np.ndarray, " target"] | None = None

    def update(
        self,
        documents: Int[np.ndarray, " sample"],
        truth: Float[np.ndarray, "sample target"],
        guess: Float[np.ndarray, "*seed sample target"],
    ) -> None:
        """Add tokens.

        Args:
            documents: The document of each token, from 0, in any order.
            truth: The targets of each token, finite.
            guess: What the probe says; with a leading axis if it has seeds.
        """
        if not len(documents):
            return
        truth = truth.astype(np.float64)
        if self._origin is None:
            self._origin = truth.mean(axis=0)
        self._lowest = np.minimum(self._lowest, truth.min(axis=0))
        self._highest = np.maximum(self._highest, truth.max(axis=0))
        y = truth - self._origin
        g = guess.reshape(-1, *truth.shape).transpose(1, 0, 2) - self._origin
        assert g.shape[1] == self._guess.shape[1], "guesses of another number of seeds"
        products = np.stack([g, g**2, g * y[:, None], (y[:, None] - g) ** 2], axis=2)
        add_by_document(self._tokens, documents, np.ones(len(documents)))
        add_by_document(self._truth, documents, np.stack([y, y**2], axis=1))
        add_by_document(self._guess, documents, products)

    def merge(self, other: "NumberScores") -> None:
        """Add what another one has summed of the same documents, as if it had come here."""
        if other._origin is None:
            return
        if self._origin is None:
            self._origin = other._origin
        # The other's sums are taken about its own origin.
        shift = other._origin - self._origin
        n = other._tokens[:, None]
        y, yy = other._truth[:, 0], other._truth[:, 1]
        g, gg, gy, error = np.moveaxis(other._guess, 2, 0)
        whole, square = n[:, None] * shift, n * shift**2
        products = (
            g + whole,
            gg + 2 * shift * g + square[:, None],
            gy + shift * (g + y[:, None]) + square[:, None],
            error,
        )
        self._truth += np.stack([y + n * shift, yy + 2 * shift * y + square], axis=1)
        self._guess += np.stack(products, axis=2)
        self._tokens += other._tokens
        self._lowest = np.minimum(self._lowest, other._lowest)
        self._highest = np.maximum(self._highest, other._highest)

    def arrays(self) -> Arrays:
        """Return all that was summed, for `restore`."""
        found = {
            "tokens": self._tokens,
            "truth": self._truth,
            "guess": self._guess,
            "ends": np.stack([self._lowest, self._highest]),
        }
        return found if self._origin is None else {**found, "origin": self._origin}

    def restore(self, arrays: Arrays) -> None:
        """Take the place of the one whose `arrays` these are; made alike, still empty."""
        self._tokens, self._truth, self._guess = (arrays[n] for n in ("tokens", "truth", "guess"))
        self._lowest, self._highest = arrays["ends"]
        self._origin = arrays.get("origin")

    def undefined(self) -> list[str | None]:
        """Say, by target, why it has no score: `constant`, `no tokens`; else None."""
        if not self._tokens.any():
            return [NO_TOKENS] * len(self._spans)
        constant = (self._lowest == self._highest) | (self._spans == 0)
        return [CONSTANT if same else None for same in constant]

    def scores(self, *, draws: int = 1000, seed: int) -> list[tuple[Score, Score, Score]]:
        """Return R², NRMSE and Pearson r of each target; with seeds, each the mean over them.

        NaN for a target that `undefined` names. Pearson r is NaN also where a guess is the
        same for all tokens. The interval is NaN with fewer than two documents.

        Args:
            draws: How often the documents are drawn again.
            seed: Seed of the draws.
        """
        parts = (self._tokens, self._truth, self._guess)
        value, drawn = with_draws(parts, self._metrics, draws=draws, seed=seed)
        without = without_groups(parts, self._metrics)
        targets = range(len(self._spans))
        return [_scores(*(found[..., t] for found in (value, drawn, without))) for t in targets]

    def _metrics(
        self, sums: Float[np.ndarray, "draw column"]
    ) -> Float[np.ndarray, "draw metric seed target"]:
        """Compute the scores from sums over documents."""
        targets = len(self._spans)
        n = sums[:, 0, None, None]
        split = 1 + _TRUTH * targets
        y, yy = np.moveaxis(sums[:, 1:split].reshape(-1, 1, _TRUTH, targets), 2, 0)
        guess = sums[:, split:].reshape(len(sums), -1, _GUESS, targets)
        g, gg, gy, error = np.moveaxis(guess, 2, 0)
        known = np.array([reason is None for reason in self.undefined()])
        truth = np.where(known, _deviation(n, y, yy), np.nan)
        with np.errstate(invalid="ignore", divide="ignore"):
            r2 = 1 - error / truth
            nrmse = np.sqrt(error / n) / np.where(known, self._spans, np.nan)
            pearson = (gy - g * y / n) / np.sqrt(truth * _deviation(n, g, gg))
        return np.stack([r2, nrmse, np.clip(pearson, -1, 1)], axis=1)


def _scores(
    value: Float[np.ndarray, "metric seed"],
    drawn: Float[np.ndarray, "draw metric seed"],
    without: Float[np.ndarray, "group metric seed"],
) -> tuple[Score, Score, Score]:
    first, *others = range(len(METRICS["number"]))
    r2 = seed_score("r2", value[first], drawn[:, first], without[:, first])
    nrmse, pearson = (
        seed_score(METRICS["number"][place], value[place], drawn[:, place]) for place in others
    )
    return r2, nrmse, pearson


def _deviation(
    n: Float[np.ndarray, "draw 1 1"],
    total: Float[np.ndarray, "draw _ target"],
    squares: Float[np.ndarray, "draw _ target"],
) -> Float[np.ndarray, "draw _ target"]:
    """Return the sum of squares about the mean; NaN if it is nothing but rounding."""
    found = squares - total**2 / np.maximum(n, 1)
    return np.where(found > _LOST * squares, found, np.nan)
