"""Position, content and what is between, in any model: the result."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from posprobe.core.result import Result

STATE_PARTS = ("position", "content", "rest")
"""What a state is the sum of, beside the mean of all states."""
LOGIT_PARTS = ("absolute", "content", "relative")
"""What the logits of a head are the sum of."""
AGREEMENT_PARTS = ("position", *LOGIT_PARTS)
"""What is correlated with the exact terms; position is the absolute and the relative part."""

_COLUMNS = (
    *("checkpoint", "weights", "quantity", "site", "stream", "layer", "head", "class"),
    *("part", "offset", "value"),
)
_HEAD_AXES = {
    "share": ("layer", "head", "part"),
    "share_se": ("layer", "head", "part"),
    "variance": ("layer", "head"),
    "agreement": ("layer", "head", "part"),
    "curve": ("layer", "head", "offset"),
}


@dataclass(frozen=True, kw_only=True)
class StateParts:
    """How the states of one site vary: with position, with the document, with both.

    h[doc, pos] = mean + position[pos] + content[doc] + rest[doc, pos].

    Attributes:
        site: Hook name of the states.
        layer: Layer; −1 for what enters the first.
        stream: `whole`, or the stream of which the site is part.
        share: Share of the variance by part, in the order of `STATE_PARTS`. Sums to 1. The
            components are unbiased, so that a part that is not there is as often a little
            below 0 as above. NaN where the states do not vary.
        share_se: Standard error of `share`, by leaving out one group of documents at a time.
            NaN with fewer than two groups.
        without: `share` without each group, by which two models on the same documents are
            compared in pairs.
        variance: The sum of the three components: the variance of a state, summed over its
            dimensions.
        rank: Directions in which positions differ by more than chance lets them seem to.
        low4: Smoothness: share of the position part's power in the first four frequencies
            (DCT-II bins 1 to 4) along positions. NaN where no position part stands above chance.
        low4_se: Its standard error; NaN likewise.
        peak: The position that lies farthest from the mean of the positions.
        peak_share: How much of the position part's power lies there. Near 1, a single position,
            such as a first token that all attend to, is all there is of position.
        undefined: Why there are no numbers, or None.
    """

    site: str
    layer: int | None
    stream: str
    share: Float[np.ndarray, "3"]
    share_se: Float[np.ndarray, "3"]
    without: Float[np.ndarray, "group 3"]
    variance: float
    rank: int
    low4: float
    low4_se: float
    peak: int
    peak_share: float
    undefined: str | None = None


@dataclass(frozen=True, kw_only=True)
class LogitParts:
    """What decides the attention logits of each head, found without knowing how it is built.

    The mean over documents is what position alone decides; what differs between documents is
    content. Of the mean, what depends on key − query only is relative, what is left is
    absolute. All is taken within a query's keys, since softmax ignores what those have in
    common.

    Attributes:
        share: Share of the logits' variance by part, in the order of `LOGIT_PARTS`. Sums to 1;
            unbiased, so that it can be a little below 0. NaN where the logits do not vary.
        share_se: Standard error of `share`, by leaving out one group of documents at a time.
        variance: Variance of the logits within a query's keys.
        classes: `structure`, `semantic` or `relative` if the absolute, content or relative part
            has the largest share and enough of it; else `mixed` or `undefined`.
        threshold: The share from which a head belongs to its largest part.
        class_counts: Heads per class.
        curve: The relative part of the mean logits by offset, its mean over the fit's offsets
            taken off; only differences within a row mean something.
        offsets: key − query of each entry of `curve`, at most 32 tokens away; NaN in the curve
            of a layer that does not see so far.
        agreement: Where the model's own terms are known, the correlation of each part of
            `AGREEMENT_PARTS` with its term, over all documents and pairs: position with ap + rp,
            absolute and relative with the same, split in the same way, and content with sem.
            Deeper ap terms may carry content, since the feed-forward layers mix the streams.
            NaN where one of the two does not vary. No columns where no terms are known.
    """

    share: Float[np.ndarray, "layer head 3"]
    share_se: Float[np.ndarray, "layer head 3"]
    variance: Float[np.ndarray, "layer head"]
    classes: tuple[tuple[str, ...], ...]
    threshold: float
    class_counts: dict[str, int]
    curve: Float[np.ndarray, "layer head offset"]
    offsets: Int[np.ndarray, " offset"]
    agreement: Float[np.ndarray, "layer head part"]


@dataclass(frozen=True, kw_only=True)
class DecompositionResult(Result):
    """How much of a model's states and attention logits position decides.

    Attributes:
        checkpoint: The model.
        states: One per site.
        logits: The heads; None where the model does not show its logits.
        documents: Documents, all of one length.
        first: The first position that counts.
        positions: How many positions count.
        reach: How many tokens away a key may be to be seen, by layer; None: any number. Empty
            where no layer has such a window.
        init: The same at random initialisation; None where it was not measured.
    """

    checkpoint: str
    states: tuple[StateParts, ...]
    logits: LogitParts | None
    documents: int
    first: int
    positions: int
    reach: tuple[int | None, ...] = ()
    init: "DecompositionResult | None" = None

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number; `weights` says `checkpoint` or `random init`."""
        rows = list(_rows(self, "checkpoint"))
        if self.init is not None:
            rows += _rows(self.init, "random init")
        frame = pd.DataFrame(rows, columns=list(_COLUMNS))
        whole = dict.fromkeys(("layer", "head", "offset"), "Int64")
        return frame.astype({**whole, "value": "float64"})

    def summary(self) -> dict[str, Any]:
        """Return the position share of each site, the classes of the heads and the counts."""
        return {
            "position_share": {parts.site: float(parts.share[0]) for parts in self.states},
            "class_counts": None if self.logits is None else self.logits.class_counts,
            "documents": self.documents,
            "positions": self.positions,
        }


def _rows(result: DecompositionResult, weights: str) -> Iterator[dict[str, Any]]:
    shared = {"checkpoint": result.checkpoint, "weights": weights}
    for state in result.states:
        place = {"site": state.site, "stream": state.stream, "layer": state.layer}
        for name, value, error in zip(STATE_PARTS, state.share, state.share_se, strict=True):
            yield {**shared, **place, "part": name, "quantity": "share", "value": value}
            yield {**shared, **place, "part": name, "quantity": "share_se", "value": error}
        for name in ("variance", "rank", "low4", "low4_se", "peak", "peak_share"):
            yield {**shared, **place, "quantity": name, "value": getattr(state, name)}
    if result.logits is None:
        return
    site = {"site": "attn.hook_attn_scores"}
    for quantity, axes in _HEAD_AXES.items():
        parts = AGREEMENT_PARTS if quantity == "agreement" else LOGIT_PARTS
        for index, value in np.ndenumerate(getattr(result.logits, quantity)):
            head: dict[str, Any] = dict(zip(axes, index, strict=True))
            head["class"] = result.logits.classes[head["layer"]][head["head"]]
            if "part" in head:
                head["part"] = parts[head["part"]]
            if "offset" in head:
                head["offset"] = int(result.logits.offsets[head["offset"]])
            yield {**shared, **site, "quantity": quantity, **head, "value": value}
