"""What each attention head's logits are made of: the result."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from posprobe.core.result import Result

_COLUMNS = (
    *("checkpoint", "weights", "quantity", "layer", "head", "class"),
    *("term", "offset", "value"),
)
_AXES = {
    "share": ("layer", "head", "term"),
    "share_se": ("layer", "head", "term"),
    "fraction": ("layer", "head", "term"),
    "divergence": ("layer", "head", "term"),
    "variance": ("layer", "head"),
    "distance": ("layer", "head"),
    "distance_without_rp": ("layer", "head"),
    "near": ("layer", "head"),
    "near_without_rp": ("layer", "head"),
    "bias_curve": ("layer", "head", "offset"),
}


@dataclass(frozen=True, kw_only=True)
class HeadsResult(Result):
    """How much of each head's attention logits each term decides.

    Attributes:
        checkpoint: The model.
        terms: Names of the addends of the logits, such as `("ap", "sem", "rp")`.
        share: Cov(term, logits) / Var(logits). Sums to 1 over terms; can be negative, when a
            term works against the others. NaN where the logits do not vary.
        fraction: Var(term) / Σ Var. Sums to 1 over terms, never negative.
        share_se: Standard error of `share`, by leaving out one group of documents at a time.
            NaN with fewer than two groups.
        variance: Variance of the logits within a query's keys.
        divergence: Mean Jensen–Shannon divergence, in bits (0 to 1), between the attention
            pattern over the counted keys and the pattern without the term. Attention to special
            tokens is left out of both, and the rest sums to 1.
        classes: Class of each head, `[layer][head]`; see `CLASSES`.
        threshold: The share from which a head belongs to its largest term.
        class_counts: Heads per class.
        hist_counts: Heads per bin of the `ap` share, clipped to the outer bins; None without
            an `ap` term.
        hist_edges: Edges of the 20 bins from −0.2 to 1.2; None without an `ap` term.
        separation: How cleanly the `ap` shares fall into two groups: the share of their
            variance that lies between the best two groups (Otsu's η²). 1 is two points,
            evenly spread shares give 0.75. NaN without an `ap` term or where all are equal.
        cut: The `ap` share that parts the two groups; NaN as above.
        distance: Mean attended |key − query| over the counted keys, in tokens. NaN without an
            `rp` term.
        distance_without_rp: The same with the `rp` term removed from the logits.
        near: Share of that attention within ±8 tokens. NaN without an `rp` term.
        near_without_rp: The same with the `rp` term removed from the logits.
        bias_curve: Mean `rp` term by offset over the counted pairs; no offsets without `rp`.
        offsets: key − query of each entry of `bias_curve`.
        documents: Documents with at least one counted query.
        queries: Counted queries: those with at least two allowed keys.
        pairs: Counted (query, key) pairs.
        undefined: Why numbers are NaN, by field.
        init: The same at random initialisation; None where it was not measured.
    """

    checkpoint: str
    terms: tuple[str, ...]
    share: Float[np.ndarray, "layer head term"]
    fraction: Float[np.ndarray, "layer head term"]
    share_se: Float[np.ndarray, "layer head term"]
    variance: Float[np.ndarray, "layer head"]
    divergence: Float[np.ndarray, "layer head term"]
    classes: tuple[tuple[str, ...], ...]
    threshold: float
    class_counts: dict[str, int]
    hist_counts: Int[np.ndarray, "20"] | None
    hist_edges: Float[np.ndarray, "21"] | None
    separation: float
    cut: float
    distance: Float[np.ndarray, "layer head"]
    distance_without_rp: Float[np.ndarray, "layer head"]
    near: Float[np.ndarray, "layer head"]
    near_without_rp: Float[np.ndarray, "layer head"]
    bias_curve: Float[np.ndarray, "layer head offset"]
    offsets: Int[np.ndarray, " offset"]
    documents: int
    queries: int
    pairs: int
    undefined: dict[str, str] = field(default_factory=dict)
    init: "HeadsResult | None" = None

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number; `weights` says `checkpoint` or `random init`."""
        rows = list(_rows(self, "checkpoint"))
        if self.init is not None:
            rows += _rows(self.init, "random init")
        frame = pd.DataFrame(rows, columns=list(_COLUMNS))
        whole = dict.fromkeys(("layer", "head", "offset"), "Int64")
        return frame.astype({**whole, "value": "float64"})

    def summary(self) -> dict[str, Any]:
        """Return the class counts, the separation and what was counted."""
        return {
            "class_counts": self.class_counts,
            "threshold": self.threshold,
            "separation": self.separation,
            "cut": self.cut,
            "documents": self.documents,
            "queries": self.queries,
            "pairs": self.pairs,
            "class_counts_init": None if self.init is None else self.init.class_counts,
            "separation_init": None if self.init is None else self.init.separation,
        }


def _rows(result: HeadsResult, weights: str) -> Iterator[dict[str, Any]]:
    shared = {"checkpoint": result.checkpoint, "weights": weights}
    for quantity, axes in _AXES.items():
        for index, value in np.ndenumerate(getattr(result, quantity)):
            place: dict[str, Any] = dict(zip(axes, index, strict=True))
            place["class"] = result.classes[place["layer"]][place["head"]]
            if "term" in place:
                place["term"] = result.terms[place["term"]]
            if "offset" in place:
                place["offset"] = int(result.offsets[place["offset"]])
            yield {**shared, "quantity": quantity, **place, "value": value}
