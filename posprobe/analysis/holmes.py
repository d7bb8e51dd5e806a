"""How much linguistic knowledge a probe reads from frozen states: the result."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from posprobe.core.result import Result
from posprobe.data.holmes.dataset import Kind

METRICS: dict[Kind, str] = {"class": "macro_f1", "number": "pearson"}
"""How a data set is scored, by what its labels are."""
FIELDS = ("morphology", "syntax", "semantics", "reasoning", "discourse")
"""The benchmark's five fields, from form to text."""
OTHER = "other"
"""The field of a data set that the map does not know."""

_COLUMNS = (
    *("checkpoint", "condition", "place", "site", "level", "field", "phenomenon", "dataset"),
    *("metric", "quantity", "seed", "value", "undefined"),
)


@dataclass(frozen=True, kw_only=True)
class Codelength:
    """How many bits the labels take when a probe that sees the states sends them.

    The online code of Voita & Titov (2020): the probe learns from a growing part of the training
    samples and pays for the next part. Few bits: the property is there and easy to read.

    Attributes:
        bits: Bits for all training labels, mean over seeds.
        by_seed: The same, one number per seed.
        uniform_bits: Bits without a probe, every class as likely as any other.
        compression: `uniform_bits` / `bits`. 1: the states do not help.
    """

    bits: float
    by_seed: tuple[float, ...]
    uniform_bits: float
    compression: float


@dataclass(frozen=True, kw_only=True)
class DatasetScore:
    """How well a linear probe answers one data set from the states of one place.

    Attributes:
        checkpoint: The model.
        condition: `checkpoint`, or `random init` for the same architecture with random weights.
        place: What was asked for: `last layer`, or a site's name. It pairs models of different
            depth.
        site: Hook name of the states that this is in this model.
        dataset: Name of the data set: of its folder.
        field: `morphology`, `syntax`, `semantics`, `reasoning`, `discourse`, or `other` for a
            data set that the map does not know.
        phenomenon: The phenomenon it tests; names are unique only within a field.
        kind: `class` or `number`.
        metric: `macro_f1` (0 to 1) or `pearson` (−1 to 1), on the test samples.
        score: Mean over seeds. NaN where undefined.
        sd: Standard deviation over seeds (ddof 1); NaN for one seed.
        by_seed: One score per seed.
        shuffled: The same probe with all labels shuffled, mean over seeds: what chance gives.
        selectivity: `score` − max(0, `shuffled`).
        classes: How many different labels the training samples have; 0 for numbers.
        n_train: Samples the probe learned from.
        n_dev: Samples that told it when to stop.
        n_test: Samples it was examined on.
        left_out: Samples whose words lie beyond the model's context, so that they were not used.
        truncated: Samples used whose text is longer than the model's context, and was cut.
        codelength: Bits for the labels, where they were asked for and are defined.
        undefined: Why there is no score, such as labels that are all alike; else None.
        note: What a reader should know beside the score, such as why there is no codelength.
    """

    checkpoint: str
    condition: str
    place: str
    site: str
    dataset: str
    field: str
    phenomenon: str
    kind: Kind
    metric: str
    score: float
    sd: float
    by_seed: tuple[float, ...]
    shuffled: float
    selectivity: float
    classes: int
    n_train: int
    n_dev: int
    n_test: int
    left_out: int = 0
    truncated: int = 0
    codelength: Codelength | None = None
    undefined: str | None = None
    note: str | None = None


@dataclass(frozen=True, kw_only=True)
class PhenomenonScore:
    """The mean score over the data sets of one phenomenon.

    Attributes:
        checkpoint: The model.
        condition: As in `DatasetScore`.
        place: As in `DatasetScore`.
        field: The field it belongs to.
        phenomenon: Its name.
        score: Mean over its data sets; NaN if none has a score.
        by_seed: The same for each seed.
        shuffled: Mean of the data sets' scores with shuffled labels.
        datasets: How many data sets the mean is over.
        undefined: Why there is no score; else None.
    """

    checkpoint: str
    condition: str
    place: str
    field: str
    phenomenon: str
    score: float
    by_seed: tuple[float, ...]
    shuffled: float
    datasets: int
    undefined: str | None = None


@dataclass(frozen=True, kw_only=True)
class FieldScore:
    """The mean score over the phenomena of one field, or of all.

    Attributes:
        checkpoint: The model.
        condition: As in `DatasetScore`.
        place: As in `DatasetScore`.
        field: The field, or `all` for the mean over every phenomenon.
        score: Mean over phenomena, each counted once however many data sets it has.
        by_seed: The same for each seed.
        shuffled: The same with shuffled labels.
        phenomena: How many phenomena the mean is over.
        datasets: How many data sets they have.
    """

    checkpoint: str
    condition: str
    place: str
    field: str
    score: float
    by_seed: tuple[float, ...]
    shuffled: float
    phenomena: int
    datasets: int


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """On how many phenomena one checkpoint beats another.

    Attributes:
        first: A checkpoint.
        second: The one it is compared with.
        place: As in `DatasetScore`.
        better: Phenomena on which `first` has the higher score.
        worse: Phenomena on which `second` has.
        ties: Phenomena on which both have the same score; the sign test leaves them out.
        p_value: Two-sided sign test: how often a fair coin would fall at least as far from even.
            It takes the phenomena as independent, which related ones are not. NaN where undefined.
        undefined: Why there is no p-value; else None.
    """

    first: str
    second: str
    place: str
    better: int
    worse: int
    ties: int
    p_value: float
    undefined: str | None = None

    @property
    def phenomena(self) -> int:
        """How many phenomena both have a score for."""
        return self.better + self.worse + self.ties


@dataclass(frozen=True, kw_only=True)
class HolmesResult(Result):
    """What linear probes read of linguistic phenomena, by data set, phenomenon and field.

    Attributes:
        data: Where the data sets come from.
        seeds: Seeds of the probes.
        checkpoints: The models, in the order given.
        places: Which states were read, in the order asked for; see `DatasetScore.place`.
        scores: One per checkpoint, condition, place and data set.
        phenomena: One per checkpoint, condition, place and phenomenon.
        fields: One per checkpoint, condition, place and field, and one for all phenomena.
        comparisons: Every two checkpoints, first with each later one, by place.
        notes: What a reader should know of the data sets, such as which the map does not know.
    """

    data: str
    seeds: tuple[int, ...]
    checkpoints: tuple[str, ...]
    places: tuple[str, ...]
    scores: tuple[DatasetScore, ...]
    phenomena: tuple[PhenomenonScore, ...]
    fields: tuple[FieldScore, ...]
    comparisons: tuple[Comparison, ...]
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number; `level` says `dataset`, `phenomenon`, `field`, `comparison`.

        A row of a comparison has its two models, joined by ` vs `, as `checkpoint`.
        """
        rows = [row for score in self.scores for row in _dataset_rows(score)]
        rows += [row for score in self.phenomena for row in _mean_rows(score, "phenomenon")]
        rows += [row for score in self.fields for row in _mean_rows(score, "field")]
        rows += [row for item in self.comparisons for row in _comparison_rows(item)]
        frame = pd.DataFrame(rows, columns=list(_COLUMNS))
        return frame.astype({"seed": "Int64", "value": "float64"})

    def summary(self) -> dict[str, Any]:
        """Return the mean score by checkpoint, place and field, and who is better on how many."""
        found: dict[str, Any] = {
            f"{s.checkpoint} · {s.condition} · {s.place} · {s.field}": s.score for s in self.fields
        }
        for item in self.comparisons:
            found[f"{item.first} vs {item.second} · {item.place}"] = (
                f"better on {item.better} of {item.phenomena}"
            )
        return found


def _dataset_rows(score: DatasetScore) -> Iterator[dict[str, Any]]:
    names = ("checkpoint", "condition", "place", "site", "field", "phenomenon", "dataset")
    shared = {name: getattr(score, name) for name in names}
    shared |= {"level": "dataset", "metric": score.metric, "undefined": score.undefined}
    for quantity in ("score", "sd", "shuffled", "selectivity"):
        yield {**shared, "quantity": quantity, "value": getattr(score, quantity)}
    for seed, value in enumerate(score.by_seed):
        yield {**shared, "quantity": "by_seed", "seed": seed, "value": value}
    if score.codelength is not None:
        for quantity in ("bits", "uniform_bits", "compression"):
            value = getattr(score.codelength, quantity)
            yield {**shared, "metric": "mdl", "quantity": quantity, "value": value}
    for quantity in ("classes", "n_train", "n_dev", "n_test", "left_out", "truncated"):
        yield {**shared, "metric": None, "quantity": quantity, "value": getattr(score, quantity)}


def _mean_rows(score: PhenomenonScore | FieldScore, level: str) -> Iterator[dict[str, Any]]:
    names = ("checkpoint", "condition", "place", "field", "phenomenon", "undefined")
    shared = {name: getattr(score, name, None) for name in names} | {"level": level}
    for quantity in ("score", "shuffled"):
        yield {**shared, "quantity": quantity, "value": getattr(score, quantity)}
    for seed, value in enumerate(score.by_seed):
        yield {**shared, "quantity": "by_seed", "seed": seed, "value": value}
    yield {**shared, "quantity": "datasets", "value": score.datasets}


def _comparison_rows(item: Comparison) -> Iterator[dict[str, Any]]:
    shared = {"checkpoint": f"{item.first} vs {item.second}", "place": item.place}
    shared |= {"condition": "checkpoint", "level": "comparison", "undefined": item.undefined}
    for quantity in ("better", "worse", "ties", "phenomena", "p_value"):
        yield {**shared, "quantity": quantity, "value": getattr(item, quantity)}
