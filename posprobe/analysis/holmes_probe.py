"""The benchmark's linear probe, all seeds trained side by side."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int, Shaped
from torch import Tensor

from posprobe.analysis.holmes_adam import Adam
from posprobe.analysis.holmes_losses import Loss

DROPOUT = 0.2
BATCH = 16
EPOCHS = 20
PATIENCE = 5
"""The benchmark's settings: epochs at most, and epochs without gain on the dev samples at which a
probe stops. The probe of the best epoch is kept."""

_STEPS_AT_ONCE = 64
"""Steps for which dropout is drawn together: as many as fit in the cache."""

Targets = Shaped[Tensor, "seed variant sample"]


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearProbes:
    """Trained probes.

    Attributes:
        weights: One row per output.
        bias: One number per output.
        losses: The mean loss on the dev samples in the best epoch.
        epochs: Epochs each probe was trained for, the best one and those in vain included.
    """

    weights: Float[Tensor, "seed variant output d_model"]
    bias: Float[Tensor, "seed variant output"]
    losses: Float[Tensor, "seed variant"]
    epochs: Int[Tensor, "seed variant"]

    def outputs(
        self, features: Float[Tensor, "sample d_model"]
    ) -> Float[Tensor, "seed variant output sample"]:
        """Return what each probe says of each sample."""
        return self.weights @ features.T + self.bias[..., None]


def train_probes(
    features: Float[Tensor, "row d_model"],
    rows: Int[Tensor, "seed sample"],
    targets: Targets,
    dev_features: Float[Tensor, "dev d_model"],
    dev_targets: Shaped[Tensor, "seed variant dev"],
    *,
    outputs: int,
    loss: Loss,
    seeds: Sequence[int],
) -> LinearProbes:
    """Train a linear probe with dropout for every seed and every variant of the targets.

    A seed decides the first weights, the order of the samples and the dropout, so that the
    variants of one seed differ in their targets only. Every probe comes out as if it were trained
    alone, but for rounding.

    Args:
        features: A vector for each sample that is trained on, and possibly more.
        rows: For each seed, the rows of `features` to train on.
        targets: For each seed and variant, the class or number of each of these rows.
        dev_features: The vectors of the samples that say when to stop.
        dev_targets: For each seed and variant, their classes or numbers.
        outputs: How many classes; 1 for numbers.
        loss: What is made small.
        seeds: One per row of `rows`, each at least 0.
    """
    generators = [np.random.default_rng(seed) for seed in seeds]
    members = tuple(targets.shape[:2])
    weights, bias = _first_weights(generators, features, variants=members[1], outputs=outputs)
    adam = Adam([weights, bias], steps=EPOCHS * math.ceil(rows.shape[1] / BATCH))
    best = _Best(weights, bias, members)
    for _ in range(EPOCHS):
        for seen, wanted in _epoch(features, rows, targets, generators):
            slopes = _slopes(weights, bias, seen, wanted, loss)
            adam.step([slopes @ seen, slopes.sum(-1, keepdim=True)])
        said = (weights @ dev_features.T + bias).unflatten(1, (members[1], -1))
        if best.update(weights, bias, loss.values(said, dev_targets).mean(-1)):
            break
    return best.probes()


def _epoch(
    features: Tensor, rows: Tensor, targets: Tensor, generators: Sequence[np.random.Generator]
) -> Iterator[tuple[Float[Tensor, "seed sample d_model"], Targets]]:
    """Go through the samples once, in an order of each seed's own, with dropout."""
    samples = rows.shape[1]
    order = _drawn([rng.permutation(samples) for rng in generators], rows)
    rows = rows.gather(1, order)
    targets = targets.gather(2, order[:, None].expand_as(targets))
    for start in range(0, samples, BATCH * _STEPS_AT_ONCE):
        end = min(samples, start + BATCH * _STEPS_AT_ONCE)
        kept = _drawn([_kept(rng, end - start, features) for rng in generators], features)
        for first in range(start, end, BATCH):
            last = min(end, first + BATCH)
            seen = _rows_of(features, rows[:, first:last])
            seen *= kept[:, first - start : last - start]
            yield seen, targets[..., first:last]


def _slopes(
    weights: Tensor, bias: Tensor, seen: Tensor, targets: Tensor, loss: Loss
) -> Float[Tensor, "seed outputs sample"]:
    said = torch.baddbmm(bias, weights, seen.mT).unflatten(1, (targets.shape[1], -1))
    return loss.slopes(said, targets).flatten(1, 2) / seen.shape[1]


def _first_weights(
    generators: Sequence[np.random.Generator], features: Tensor, *, variants: int, outputs: int
) -> tuple[Float[Tensor, "seed outputs d_model"], Float[Tensor, "seed outputs 1"]]:
    """Draw weights as torch's linear layer does; the variants of a seed begin alike."""
    width = features.shape[1]
    bound = 1 / math.sqrt(width)
    drawn = np.stack([rng.uniform(-bound, bound, (outputs, width + 1)) for rng in generators])
    both = torch.from_numpy(drawn).to(features).repeat(1, variants, 1)
    return both[..., :width].contiguous(), both[..., width:].contiguous()


def _kept(
    rng: np.random.Generator, samples: int, features: Tensor
) -> Float[np.ndarray, "sample d_model"]:
    """Draw which features stay, and make up for the others."""
    drawn = rng.random((samples, features.shape[1]), dtype=np.float32)
    return (drawn >= DROPOUT) / np.float32(1 - DROPOUT)


def _rows_of(
    features: Float[Tensor, "row d_model"], rows: Int[Tensor, "seed sample"]
) -> Float[Tensor, "seed sample d_model"]:
    return features.index_select(0, rows.flatten()).view(*rows.shape, -1)


def _drawn(arrays: Sequence[np.ndarray], like: Tensor) -> Shaped[Tensor, "seed ..."]:
    return torch.from_numpy(np.stack(arrays)).to(like)


class _Best:
    """Remembers each probe as it was in its best epoch, and who is still learning."""

    def __init__(self, weights: Tensor, bias: Tensor, members: tuple[int, ...]) -> None:
        self._members = members
        self._weights, self._bias = weights.clone(), bias.clone()
        self._losses = torch.full(members, torch.inf, device=weights.device, dtype=weights.dtype)
        self._vain = torch.zeros(members, device=weights.device, dtype=torch.long)
        self._epochs = torch.zeros_like(self._vain)

    def update(self, weights: Tensor, bias: Tensor, losses: Float[Tensor, "seed variant"]) -> bool:
        """Take in an epoch; return whether all probes have stopped."""
        learning = self._vain < PATIENCE
        better = learning & (losses < self._losses)
        self._epochs += learning
        self._vain = torch.where(better, 0, self._vain + learning)
        self._losses = torch.where(better, losses, self._losses)
        self._keep(self._weights, weights, better)
        self._keep(self._bias, bias, better)
        return bool((self._vain >= PATIENCE).all())

    def probes(self) -> LinearProbes:
        """Return the probes of the best epochs."""
        shape = (self._members[1], -1)
        return LinearProbes(
            weights=self._weights.unflatten(1, shape),
            bias=self._bias.unflatten(1, shape).squeeze(-1),
            losses=self._losses,
            epochs=self._epochs,
        )

    def _keep(self, kept: Tensor, now: Tensor, better: Bool[Tensor, "seed variant"]) -> None:
        outputs = kept.shape[1] // self._members[1]
        kept.copy_(torch.where(better.repeat_interleave(outputs, dim=1)[..., None], now, kept))
