"""From the vectors and labels of a data set to its score."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int, Shaped
from sklearn.metrics import f1_score
from torch import Tensor

from posprobe.analysis.holmes import Codelength
from posprobe.analysis.holmes_codelength import online_code
from posprobe.analysis.holmes_losses import CrossEntropy, Loss, SmoothL1, TwiceSoftmax
from posprobe.analysis.holmes_probe import LinearProbes, train_probes
from posprobe.data.holmes.dataset import Kind

TRAIN, DEV, TEST = range(3)


@dataclass(frozen=True, kw_only=True)
class ProbeOutcome:
    """What the probes of a data set came to.

    Attributes:
        by_seed: Macro-F1 or Pearson correlation on the test samples, one per seed; NaN where
            undefined.
        shuffled: The same with shuffled labels, mean over seeds; a probe that says the same of
            all counts as a correlation of 0.
        codelength: Bits for the labels, if they were asked for.
        undefined: Why there is no score; else None.
        note: Why there is no codelength, although it was asked for; else None.
    """

    by_seed: tuple[float, ...]
    shuffled: float
    codelength: Codelength | None = None
    undefined: str | None = None
    note: str | None = None


def score_dataset(
    features: Float[Tensor, "sample d_model"],
    labels: Shaped[np.ndarray, " sample"],
    split: Int[np.ndarray, " sample"],
    *,
    kind: Kind,
    seeds: Sequence[int],
    exact: bool = False,
    scale: bool = False,
    mdl: bool = False,
) -> ProbeOutcome:
    """Train the probes of a data set and examine them.

    Macro-F1 is the mean of F1 over the classes that occur or are guessed: 1 is perfect, a rare
    class counts as much as a frequent one. Pearson's r is −1 to 1. For the control, the labels of
    the training samples are shuffled among them, and so are those of the dev samples; everything
    else is the same.

    Args:
        features: A vector for each sample.
        labels: Classes, numbered from 0, or numbers.
        split: 0 for samples to train on, 1 for those that say when to stop, 2 for those to be
            examined on.
        kind: What the labels are.
        seeds: Seeds of the probes.
        exact: Whether to train as the benchmark's code does: the probabilities of classes go
            through a second softmax, and numbers stay as they stand. Otherwise numbers are learned
            in units of their standard deviation about their mean, which Pearson's r does not see.
        scale: Whether to bring each feature to mean 0 and variance 1 over the training samples.
        mdl: Whether to measure the codelength, too.
    """
    if reason := _why_undefined(labels, split):
        nothing = (float("nan"),) * len(seeds)
        return ProbeOutcome(by_seed=nothing, shuffled=float("nan"), undefined=reason)
    known = split == TRAIN
    if scale:
        features = _scaled(features, known)
    if kind == "number" and not exact:
        labels = (labels - labels[known].mean()) / labels[known].std()
    train, dev, test = (_part(features, labels, split == part) for part in (TRAIN, DEV, TEST))
    classes = int(labels.max()) + 1 if kind == "class" else 1
    loss = _loss(kind, exact=exact)
    probes = train_probes(
        train.features,
        torch.arange(len(train.labels), device=features.device).expand(len(seeds), -1),
        _with_shuffled(train.labels, seeds),
        dev.features,
        _with_shuffled(dev.labels, seeds),
        outputs=classes,
        loss=loss,
        seeds=seeds,
    )
    scores = _scores(probes, test, kind)
    codelength = None
    if mdl and kind == "class":
        codelength = online_code(
            train.features,
            train.labels,
            dev.features,
            dev.labels,
            classes=classes,
            loss=loss,
            seeds=seeds,
        )
    constant = bool(np.isnan(scores[:, 0]).any())
    return ProbeOutcome(
        by_seed=tuple(scores[:, 0].tolist()),
        shuffled=float(np.nan_to_num(scores[:, 1]).mean()),
        codelength=codelength,
        undefined="a probe says the same of all test samples" if constant else None,
        note="a codelength needs classes" if mdl and kind == "number" else None,
    )


def _loss(kind: Kind, *, exact: bool) -> Loss:
    if kind == "number":
        return SmoothL1()
    return TwiceSoftmax() if exact else CrossEntropy()


def _scaled(
    features: Float[Tensor, "sample d_model"], known: Bool[np.ndarray, " sample"]
) -> Float[Tensor, "sample d_model"]:
    own = features[torch.from_numpy(known).to(features.device)].double()
    spread = own.std(0, correction=0)
    # A feature that does not vary says nothing; it stays at 0.
    spread = torch.where(spread > 0, spread, 1.0)
    return ((features.double() - own.mean(0)) / spread).to(features.dtype)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Part:
    """The samples of one split."""

    features: Float[Tensor, "sample d_model"]
    labels: Shaped[Tensor, " sample"]


def _part(
    features: Float[Tensor, "sample d_model"],
    labels: Shaped[np.ndarray, " sample"],
    own: Bool[np.ndarray, " sample"],
) -> _Part:
    chosen = torch.from_numpy(labels[own]).to(features.device)
    return _Part(
        features=features[torch.from_numpy(own).to(features.device)],
        labels=chosen.to(features.dtype) if chosen.is_floating_point() else chosen,
    )


def _scores(probes: LinearProbes, test: _Part, kind: Kind) -> Float[np.ndarray, "seed variant"]:
    said = probes.outputs(test.features).double().cpu().numpy()
    truth = test.labels.cpu().numpy()
    score = _macro_f1 if kind == "class" else _pearson
    return np.array([[score(truth, outputs) for outputs in variants] for variants in said])


def _why_undefined(
    labels: Shaped[np.ndarray, " sample"], split: Int[np.ndarray, " sample"]
) -> str | None:
    for part, name in ((TRAIN, "training"), (DEV, "dev"), (TEST, "test")):
        own = labels[split == part]
        if not own.size:
            return f"no {name} samples are left"
        # Dev samples only say when to stop; alike labels do for that.
        if part != DEV and (own == own[0]).all():
            return f"all {name} samples have the same label"
    return None


def _with_shuffled(
    target: Shaped[Tensor, " sample"], seeds: Sequence[int]
) -> Shaped[Tensor, "seed 2 sample"]:
    orders = [np.random.default_rng([seed, 1]).permutation(len(target)) for seed in seeds]
    shuffled = target[torch.from_numpy(np.stack(orders)).to(target.device)]
    return torch.stack([target.expand_as(shuffled), shuffled], dim=1)


def _macro_f1(
    truth: Int[np.ndarray, " sample"], outputs: Float[np.ndarray, "output sample"]
) -> float:
    guess = outputs.argmax(axis=0)
    zero = 0.0  # A class that is never guessed scores nothing.
    found = f1_score(truth, guess, average="macro", zero_division=zero)  # pyright: ignore[reportArgumentType]  # stubs
    return float(found)


def _pearson(truth: Float[np.ndarray, " sample"], outputs: Float[np.ndarray, "1 sample"]) -> float:
    (said,) = outputs
    if (said == said[0]).all():
        return float("nan")
    return float(np.corrcoef(truth, said)[0, 1])
