"""How many bits labels take when a probe that sees the states sends them."""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from posprobe.analysis.holmes import Codelength
from posprobe.analysis.holmes_losses import CrossEntropy, Loss
from posprobe.analysis.holmes_probe import train_probes

PORTIONS = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.0625, 0.125, 0.25, 0.5, 1.0)
"""Shares of the training samples after which the probe is trained anew (Voita & Titov 2020)."""


def online_code(
    features: Float[Tensor, "sample d_model"],
    labels: Int[Tensor, " sample"],
    dev_features: Float[Tensor, "dev d_model"],
    dev_labels: Int[Tensor, " dev"],
    *,
    classes: int,
    loss: Loss,
    seeds: Sequence[int],
) -> Codelength:
    """Measure the length of the online code (Voita & Titov 2020, section 2.2).

    The first portion of the labels is sent without a probe, all classes as likely. Then a probe
    that was trained on what is known sends the next portion, at −log2 of the probability that it
    gives the true label, and so on. Each seed has an order of the samples of its own.

    Args:
        features: The vectors of the training samples.
        labels: Their classes.
        dev_features: The vectors of the samples that say when a probe stops.
        dev_labels: Their classes.
        classes: How many classes there are, at least 2.
        loss: What the probes make small.
        seeds: Seeds of order and probes.
    """
    samples = len(labels)
    sizes = portion_sizes(samples)
    orders = [np.random.default_rng([seed, 2]).permutation(samples) for seed in seeds]
    order = torch.from_numpy(np.stack(orders)).to(labels)
    uniform = samples * math.log2(classes)
    bits = torch.full((len(seeds),), uniform * sizes[0] / samples, dtype=torch.float64)
    for known, sent in pairwise(sizes):
        probes = train_probes(
            features,
            order[:, :known],
            labels[order[:, None, :known]],
            dev_features,
            dev_labels.expand(len(seeds), 1, -1),
            outputs=classes,
            loss=loss,
            seeds=seeds,
        )
        said = torch.stack(
            [
                weights[0].double() @ features[rows].double().T + bias[0, :, None]
                for weights, bias, rows in zip(
                    probes.weights, probes.bias, order[:, known:sent], strict=True
                )
            ]
        )
        surprise = CrossEntropy().values(said, labels[order[:, known:sent]])
        bits += surprise.sum(-1).cpu() / math.log(2)
    mean = float(bits.mean())
    return Codelength(
        bits=mean,
        by_seed=tuple(bits.tolist()),
        uniform_bits=uniform,
        compression=uniform / mean,
    )


def portion_sizes(samples: int) -> list[int]:
    """Return after how many samples the probe is trained anew, the last being all.

    >>> portion_sizes(20)
    [1, 2, 5, 10, 20]
    """
    return sorted({max(1, int(share * samples)) for share in PORTIONS})
