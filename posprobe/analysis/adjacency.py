"""How strongly a state resembles the states next to it: the result."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from jaxtyping import Float

from posprobe.core.result import Result

Average = Literal["rows", "triples"]
Ties = Literal["strict", "half"]
Feature = Literal["cosine", "norm"]

_COLUMNS = (
    *("checkpoint", "task", "condition", "site", "layer", "head", "feature"),
    *("quantity", "average", "sample", "pos", "value"),
)
_STATISTICS = ("mean", "sd", "low", "high")


@dataclass(frozen=True, kw_only=True)
class AdjacencyScore:
    """The adjacency score of one site under one condition, over sequences.

    1: among any two earlier tokens the nearer one is always the more similar. 0.5: distance
    does not matter. 0: the farther one is always the more similar.

    Attributes:
        condition: Which model and input: `checkpoint`, `random init`, `non-causal`, …
        site: Hook name of the states.
        layer: Layer, −1 for the token embedding; None where there is no order of layers.
        head: The head, where heads are scored one by one; else None.
        feature: `cosine`, or `norm` for the rival hypothesis that length carries position.
        rows: Score per sequence, averaged over rows (every query counts the same).
        triples: Score per sequence, pooled over triples (late queries count more).
        rows_mean: Mean over sequences.
        rows_sd: Standard deviation over sequences (ddof 1); NaN for one sequence.
        rows_low: Lower end of the 95 % bootstrap interval of the mean; NaN for one sequence.
        rows_high: Its upper end.
        triples_mean: As `rows_mean`, for `triples`.
        triples_sd: As `rows_sd`.
        triples_low: As `rows_low`.
        triples_high: As `rows_high`.
        left_out: Zero vectors, which have no cosine and were left out, over all sequences.
        undefined: Why there is no score, such as sequences under 3 tokens; else None.
        note: Why there is a score but no interval, or not for every sequence; else None.
    """

    condition: str
    site: str
    layer: int | None
    head: int | None
    feature: Feature
    rows: Float[np.ndarray, " sample"]
    triples: Float[np.ndarray, " sample"]
    rows_mean: float
    rows_sd: float
    rows_low: float
    rows_high: float
    triples_mean: float
    triples_sd: float
    triples_low: float
    triples_high: float
    left_out: int
    undefined: str | None = None
    note: str | None = None


@dataclass(frozen=True, kw_only=True)
class Similarity:
    """Cosine similarity of every two positions of a site, averaged over sequences.

    Attributes:
        condition: As in `AdjacencyScore`.
        site: Hook name of the states.
        layer: Layer, −1 for the token embedding.
        matrix: Mean cosine, −1 to 1, at most 64 × 64; NaN where all vectors are zero.
        stride: Positions averaged into one row or column.
    """

    condition: str
    site: str
    layer: int | None
    matrix: Float[np.ndarray, "pos pos"]
    stride: int


@dataclass(frozen=True, kw_only=True)
class VarianceByPosition:
    """Variance of the entries of a state, by position, averaged over sequences.

    Attributes:
        condition: As in `AdjacencyScore`.
        site: Hook name of the states.
        layer: Layer, −1 for the token embedding.
        values: Variance over `d_model` (ddof 0) at each position.
    """

    condition: str
    site: str
    layer: int | None
    values: Float[np.ndarray, " pos"]


@dataclass(frozen=True, kw_only=True)
class AdjacencyResult(Result):
    """Adjacency scores by condition, site and layer, with what explains them.

    Attributes:
        checkpoint: The model.
        task: Where the sequences come from.
        ties: `strict` counts equal similarities as failures, `half` as half a success.
        average: Which of the two averages headlines: `rows` (the paper) or `triples`.
        scores: One per condition, site, layer, head and feature.
        similarity: Mean similarity matrices.
        variance: Variance by position.
        sequences: How many sequences were scored.
        length: Their length in tokens.
    """

    checkpoint: str
    task: str
    ties: Ties
    average: Average
    scores: tuple[AdjacencyScore, ...]
    similarity: tuple[Similarity, ...]
    variance: tuple[VarianceByPosition, ...]
    sequences: int
    length: int

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number: means, intervals, each sequence, and the variances.

        The similarity matrices are pictures, not findings; they stay in the JSON.
        """
        shared = {"checkpoint": self.checkpoint, "task": self.task}
        rows = [{**shared, **row} for score in self.scores for row in _score_rows(score)]
        rows += [{**shared, **row} for item in self.variance for row in _variance_rows(item)]
        frame = pd.DataFrame(rows, columns=list(_COLUMNS))
        whole = dict.fromkeys(("layer", "head", "sample", "pos"), "Int64")
        return frame.astype({**whole, "value": "float64"})

    def summary(self) -> dict[str, Any]:
        """Return the headline mean by condition, site and layer (cosine, heads together)."""
        found: dict[str, Any] = {"average": self.average, "ties": self.ties}
        for score in self.scores:
            if score.feature == "cosine" and score.head is None:
                key = f"{score.condition} · {score.site}"
                found[key] = getattr(score, f"{self.average}_mean")
        return {**found, "sequences": self.sequences, "length": self.length}


def _score_rows(score: AdjacencyScore) -> Iterator[dict[str, Any]]:
    names = ("condition", "site", "layer", "head", "feature")
    shared = {name: getattr(score, name) for name in names}
    for average in ("rows", "triples"):
        place = {**shared, "average": average}
        for statistic in _STATISTICS:
            value = getattr(score, f"{average}_{statistic}")
            yield {**place, "quantity": statistic, "value": value}
        for sample, value in enumerate(getattr(score, average)):
            yield {**place, "quantity": "score", "sample": sample, "value": value}
    yield {**shared, "quantity": "left_out", "value": score.left_out}


def _variance_rows(item: VarianceByPosition) -> Iterator[dict[str, Any]]:
    shared = {"condition": item.condition, "site": item.site, "layer": item.layer}
    for pos, value in enumerate(item.values):
        yield {**shared, "quantity": "variance", "pos": pos, "value": value}
