"""Scores the states of a site, batch by batch of sequences."""

from dataclasses import fields
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int, Num
from torch import Tensor

from posprobe.analysis.adjacency import (
    AdjacencyScore,
    Feature,
    Similarity,
    Ties,
    VarianceByPosition,
)
from posprobe.analysis.adjacency_batch import BatchScores, adjacency_scores
from posprobe.analysis.adjacency_sampled import adjacency_sampled
from posprobe.analysis.adjacency_score import TOO_SHORT, unit_rows
from posprobe.analysis.finite import require_finite
from posprobe.analysis.resampling import bootstrap_mean
from posprobe.core.arrays import Arrays, joined, split
from posprobe.core.errors import CorpusError

PICTURE = 64
"""Rows and columns of a similarity picture, at most."""
_NAMES = tuple(field.name for field in fields(BatchScores))


class AdjacencySums:
    """Gathers the scores, the mean similarity and the variance of one site.

    Attributes:
        site: Hook name of the states.
        head: The head, if the states are those of one head.

    Only a score per sequence and sums of fixed size are kept. How to read the numbers: see
    `AdjacencyScore`.

    >>> sums = AdjacencySums(condition="checkpoint", site="a line", layer=0)
    >>> sums.update(torch.tensor([[[1.0, pos] for pos in range(6)]]), torch.tensor([0]))
    >>> [(score.feature, score.rows_mean) for score in sums.scores(seed=0)]
    [('cosine', 1.0), ('norm', 0.0)]
    """

    def __init__(
        self,
        *,
        condition: str,
        site: str,
        layer: int | None = None,
        head: int | None = None,
        ties: Ties = "strict",
        draws: int | None = None,
        seed: int = 0,
    ) -> None:
        """Prepare empty sums.

        Args:
            condition: Which model and input: `checkpoint`, `random init`, …
            site: Hook name of the states.
            layer: Layer, −1 for the token embedding.
            head: The head, if the states are those of one head.
            ties: As in `adjacency_score`.
            draws: Estimate each score from so many random triples, for sequences too long to
                count in full. None: count.
            seed: Seed of the draws.
        """
        self._draws, self._seed = draws, seed
        self._place = {"condition": condition, "site": site, "layer": layer}
        self.site, self.head = site, head
        self._ties: Ties = ties
        self._scores: dict[Feature, list[BatchScores]] = {"cosine": [], "norm": []}
        self._numbers: list[Int[np.ndarray, " sample"]] = []
        self._similarity = np.zeros(())
        self._compared = np.zeros(())
        self._variance = np.zeros(())
        self._length: int | None = None

    @torch.no_grad()
    def update(
        self, states: Float[Tensor, "sample pos d_model"], sequences: Int[Tensor, " sample"]
    ) -> None:
        """Add sequences.

        Args:
            states: States of the site, any precision, no padding; the same length each time.
            sequences: A number of each that stays with it, such as its index: scores are listed
                in this order, and `draws` depend on it.

        Raises:
            NonFiniteError: If a state has inf or NaN; names the site.
            CorpusError: If the length differs from that of the sequences before.
        """
        length = states.shape[1]
        if self._length not in (None, length):
            raise CorpusError(
                f"a sequence of {length} tokens after some of {self._length}; "
                "sequences of one length are needed to compare their scores"
            )
        values = states.to("cpu", torch.float64).numpy()
        require_finite(values, self.site)
        numbers = sequences.cpu().numpy()
        self._numbers.append(numbers)
        for feature, scores in self._scores.items():
            scores.append(self._score_batch(values, feature, numbers))
        similarity, compared = _block_sums(values)
        self._similarity = self._similarity + similarity
        self._compared = self._compared + compared
        self._variance = self._variance + values.var(axis=2).sum(axis=0)
        self._length = length

    def merge(self, other: "AdjacencySums") -> None:
        """Add what another one has gathered, as if its sequences had come here.

        Raises:
            CorpusError: If its sequences have another length.
        """
        if not other._sequences:
            return
        if self._length not in (None, other._length):
            raise CorpusError(f"sequences of {other._length} tokens after some of {self._length}")
        self._numbers.extend(other._numbers)
        for feature, scores in self._scores.items():
            scores.extend(other._scores[feature])
        self._similarity = self._similarity + other._similarity
        self._compared = self._compared + other._compared
        self._variance = self._variance + other._variance
        self._length = other._length

    def arrays(self) -> Arrays:
        """Return all that was gathered, for `restore`."""
        if not self._sequences:
            return {}
        scores = {
            feature: {name: _joined(parts, name) for name in _NAMES}
            for feature, parts in self._scores.items()
        }
        sums = {
            "similarity": self._similarity,
            "compared": self._compared,
            "variance": self._variance,
            "numbers": np.concatenate(self._numbers),
        }
        return joined({**scores, "sums": sums})

    def restore(self, arrays: Arrays) -> None:
        """Take the place of the one whose `arrays` these are; made alike, still empty."""
        if not arrays:
            return
        parts = split(arrays)
        sums = parts["sums"]
        self._scores = {
            "cosine": [BatchScores(**parts["cosine"])],
            "norm": [BatchScores(**parts["norm"])],
        }
        self._numbers = [sums["numbers"]]
        self._similarity, self._compared = sums["similarity"], sums["compared"]
        self._variance = sums["variance"]
        self._length = len(sums["variance"])

    def scores(self, *, seed: int) -> tuple[AdjacencyScore, AdjacencyScore]:
        """Return the score by cosine and the score by norm.

        Args:
            seed: Seed of the bootstrap over sequences.

        Raises:
            CorpusError: If there was no sequence.
        """
        self._require_sequences()
        return self._score("cosine", seed), self._score("norm", seed)

    def similarity(self) -> Similarity:
        """Return the mean cosine of every two positions, coarse where there are many.

        Raises:
            CorpusError: If there was no sequence.
        """
        self._require_sequences()
        nothing = np.full(self._similarity.shape, np.nan)
        matrix = np.divide(self._similarity, self._compared, out=nothing, where=self._compared > 0)
        return Similarity(**self._place, matrix=matrix, stride=_stride(self._length or 0))

    def variance(self) -> VarianceByPosition:
        """Return the mean variance of the entries of a state, by position.

        Raises:
            CorpusError: If there was no sequence.
        """
        self._require_sequences()
        return VarianceByPosition(**self._place, values=self._variance / self._sequences)

    def _score_batch(
        self,
        states: Float[np.ndarray, "sample pos d_model"],
        feature: Feature,
        numbers: Int[np.ndarray, " sample"],
    ) -> BatchScores:
        if self._draws is None:
            return adjacency_scores(states, feature=feature, ties=self._ties)
        found = [
            adjacency_sampled(
                one,
                seed=np.random.default_rng([self._seed, number]),
                draws=self._draws,
                feature=feature,
                ties=self._ties,
            )
            for one, number in zip(states, numbers.tolist(), strict=True)
        ]
        return BatchScores(
            rows=np.array([score.rows for score in found]),
            triples=np.array([score.triples for score in found]),
            left_out=np.array([score.left_out for score in found]),
        )

    @property
    def _sequences(self) -> int:
        return sum(map(len, self._numbers))

    def _require_sequences(self) -> None:
        if not self._sequences:
            raise CorpusError(f"{self._place['site']}: no sequence was scored")

    def _score(self, feature: Feature, seed: int) -> AdjacencyScore:
        parts = self._scores[feature]
        order = np.argsort(np.concatenate(self._numbers))
        rows, triples = (_joined(parts, name)[order] for name in ("rows", "triples"))
        defined = np.isfinite(rows)
        numbers: dict[str, Any] = {}
        for name, values in (("rows", rows), ("triples", triples)):
            interval = bootstrap_mean(values[defined], seed=seed)
            for statistic in ("mean", "sd", "low", "high"):
                numbers[f"{name}_{statistic}"] = getattr(interval, statistic)
        return AdjacencyScore(
            **self._place,
            head=self.head,
            feature=feature,
            rows=rows,
            triples=triples,
            **numbers,
            left_out=int(_joined(parts, "left_out").sum()),
            undefined=None if defined.any() else TOO_SHORT,
            note=_note(len(rows), int(defined.sum()), self._draws),
        )


def _joined(parts: list[BatchScores], name: str) -> Num[np.ndarray, " sample"]:
    return np.concatenate([getattr(part, name) for part in parts])


def _note(sequences: int, defined: int, draws: int | None) -> str | None:
    notes = []
    if draws is not None:
        # A share has at most the spread of a fair coin.
        error = 0.5 / draws**0.5
        notes.append(f"estimated from {draws} triples a sequence, standard error {error:.4f}")
    if 0 < defined < sequences:
        notes.append(f"{sequences - defined} of {sequences} sequences have no score: {TOO_SHORT}")
    if defined == 1:
        notes.append("one sequence, so there is no spread")
    return "; ".join(notes) or None


def _stride(length: int) -> int:
    return max(1, -(-length // PICTURE))


def _block_sums(
    states: Float[np.ndarray, "sample pos d_model"],
) -> tuple[Float[np.ndarray, "_pos _pos"], Int[np.ndarray, "_pos _pos"]]:
    """Sum the cosines within blocks of positions, and count them.

    The sum of all cosines between two blocks is the product of the blocks' summed unit
    vectors, so that the full matrix is never needed.
    """
    unit, kept = unit_rows(states)
    starts = np.arange(0, states.shape[1], _stride(states.shape[1]))
    blocks = np.add.reduceat(unit, starts, axis=1)
    sizes = np.add.reduceat(kept.astype(np.int64), starts, axis=1)
    return (
        np.einsum("sqd,skd->qk", blocks, blocks, optimize=True),
        np.einsum("sq,sk->qk", sizes, sizes),
    )
