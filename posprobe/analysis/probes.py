"""Where which position is readable: the result of the probes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from posprobe.core.result import Result

ProbeKind = Literal["linear", "mlp", "mlp-small"]
TargetKind = Literal["number", "class"]

METRICS = {"number": ("r2", "nrmse", "pearson"), "class": ("macro_f1", "accuracy")}
"""The scores of each kind of target; the first one headlines."""
HIGHER_IS_BETTER = {"r2": True, "nrmse": False, "pearson": True, "macro_f1": True, "accuracy": True}

_COLUMNS = (
    *("checkpoint", "condition", "site", "layer", "stream", "feature", "target", "probe"),
    *("metric", "quantity", "seed", "value"),
)
_STATISTICS = ("value", "low", "high")


@dataclass(frozen=True, kw_only=True)
class Score:
    """One metric of one probe on held-out documents.

    Attributes:
        metric: `r2`, `nrmse`, `pearson`, `macro_f1` or `accuracy`.
        value: The score; for probes with seeds the mean over them. NaN where undefined.
        low: Lower end of the 95 % bootstrap interval over documents; NaN where undefined.
        high: Its upper end.
        by_seed: One score per seed of the probe; a single entry where nothing is random.
        without: The score without each group of documents, by which two probes on the same
            documents are compared in pairs; kept for the first metric of a target's kind only.
    """

    metric: str
    value: float
    low: float
    high: float
    by_seed: tuple[float, ...]
    without: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ProbeScore:
    """How well one target is read from one place, beside what it has to beat.

    Controls and selectivity are in the headline metric of the target's kind: R² for numbers,
    macro-F1 for classes.

    Attributes:
        checkpoint: The model.
        condition: `checkpoint`, or `random init` for the same architecture with random weights.
        site: Hook name of the states.
        layer: Layer, −1 for the token embedding; None where there is no order of layers.
        stream: `ap` or `sem`; `whole` for the whole state, or where there is one stream.
        feature: What of the state is read: `state`, `cosine`, `norm` or several joined by `+`.
        target: Name of the target.
        kind: `number` or `class`.
        probe: `linear`, `mlp` or `mlp-small`.
        scores: One per metric of the kind.
        shuffled: The same probe with the target shuffled within each document.
        identity: The target guessed from the token's id alone.
        selectivity_shuffled: Headline score − max(0, shuffled).
        selectivity_identity: Headline score − max(0, identity).
        penalty: The ridge penalty chosen inside the training documents, per training token and
            on standardised features; None for an MLP.
        n_train: Tokens the probe learned from.
        n_test: Tokens it was examined on.
        undefined: Why there is no score, such as `constant`; else None.
    """

    checkpoint: str
    condition: str
    site: str
    layer: int | None
    stream: str
    feature: str
    target: str
    kind: TargetKind
    probe: ProbeKind
    scores: tuple[Score, ...]
    shuffled: float
    identity: float
    selectivity_shuffled: float
    selectivity_identity: float
    penalty: float | None
    n_train: int
    n_test: int
    undefined: str | None = None

    @property
    def headline(self) -> Score:
        """The score that headlines: R² for numbers, macro-F1 for classes."""
        return self.scores[0]


@dataclass(frozen=True, kw_only=True)
class ProbesResult(Result):
    """Probe scores by checkpoint, site, stream, feature and target.

    Attributes:
        corpus: Where the documents come from.
        targets: The targets in the order asked for.
        train_documents: Documents the probes learned from.
        test_documents: Documents they were examined on.
        scores: One per checkpoint, condition, site, stream, feature, target and probe.
        notes: What a reader should know of single targets, by name: why one is left out.
    """

    corpus: str
    targets: tuple[str, ...]
    train_documents: int
    test_documents: int
    scores: tuple[ProbeScore, ...]
    notes: dict[str, str]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number: scores with their intervals, seeds, and controls."""
        rows = [row for score in self.scores for row in _rows(score)]
        frame = pd.DataFrame(rows, columns=list(_COLUMNS))
        return frame.astype({"layer": "Int64", "seed": "Int64", "value": "float64"})

    def summary(self) -> dict[str, Any]:
        """Return the headline score by checkpoint, target, stream and site."""
        return {
            f"{s.checkpoint} · {s.condition} · {s.target} · {s.stream} · {s.feature} · "
            f"{s.probe} · {s.site}": s.headline.value
            for s in self.scores
        }


def _rows(score: ProbeScore) -> Iterator[dict[str, Any]]:
    names = ("checkpoint", "condition", "site", "layer", "stream", "feature", "target", "probe")
    place = {name: getattr(score, name) for name in names}
    for item in score.scores:
        for statistic in _STATISTICS:
            value = getattr(item, statistic)
            yield {**place, "metric": item.metric, "quantity": statistic, "value": value}
        if len(item.by_seed) > 1:
            for seed, value in enumerate(item.by_seed):
                yield {
                    **place,
                    **{"metric": item.metric, "quantity": "by_seed"},
                    **{"seed": seed, "value": value},
                }
    headline = METRICS[score.kind][0]
    for control in ("shuffled", "identity", "selectivity_shuffled", "selectivity_identity"):
        yield {**place, "metric": headline, "quantity": control, "value": getattr(score, control)}
    if score.penalty is not None:
        yield {**place, "metric": headline, "quantity": "penalty", "value": score.penalty}
