"""Small networks that read a target from states: one per place, target and seed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from threading import Lock
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float, Int, Num
from torch import Tensor

from posprobe.analysis.mlp_networks import start_networks
from posprobe.analysis.mlp_scales import FeatureScales, NumberScales
from posprobe.analysis.mlp_stack import MlpStack
from posprobe.analysis.mlp_training import MlpTraining, train_stack
from posprobe.core.workers import side_by_side

MlpKind = Literal["mlp", "mlp-small"]

HIDDEN: dict[MlpKind, tuple[int, ...]] = {"mlp": (512, 384, 128), "mlp-small": (64,)}
"""Widths of the hidden layers; those of `mlp` are from B (arXiv 2501.00073)."""
_CACHED, _PARAMETERS = 1 << 21, 1 << 24
"""Numbers in the networks of one stack: on a processor no more than the cache of a thread holds
with their gradients, on an accelerator as many as save time."""
_STATES = 1 << 25
"""Numbers of states that a stack learns from at once."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ProbeRows:
    """Tokens that networks learn from, or that say when to stop.

    Attributes:
        states: The same tokens at each place (a site, a stream, a feature), all as wide.
        targets: Numbers, one column per target; or the class, from 0, of one target.
    """

    states: Float[Tensor, "place sample d"]
    targets: Float[Tensor, "sample target"] | Int[Tensor, " sample"]


@dataclass(frozen=True, kw_only=True, eq=False)
class MlpProbes:
    """Trained networks, one per seed, place and target.

    Attributes:
        stacks: The networks, in the groups they were trained in.
        shape: How many seeds, places and targets there are.
        scales: Of the numbers; None for classes.
    """

    stacks: tuple[MlpStack, ...]
    shape: tuple[int, int, int]
    scales: NumberScales | None

    @torch.no_grad()
    def predict(
        self, states: Float[Tensor, "place sample d"]
    ) -> Num[np.ndarray, "seed place sample target"]:
        """Guess the targets of each token.

        Args:
            states: Tokens at the places of the training, in the same order.

        Returns:
            Numbers, in float64; or the likeliest class, in the one column there is.
        """
        seeds, places, targets = self.shape
        guess = np.empty(
            (seeds, places, states.shape[1], targets),
            dtype=np.float64 if self.scales else np.int64,
        )
        for stack in self.stacks:
            own = states.to(stack.place.device)
            found = torch.cat([self._guess(stack.run(own, rows)) for rows in stack.blocks(own)], 1)
            seed, place, target = (
                index.cpu().numpy() for index in (stack.seed, stack.place, stack.target)
            )
            guess[seed, place, :, target] = found.cpu().numpy()
        if self.scales is None:
            return guess
        return guess * self.scales.sd.numpy() + self.scales.mean.numpy()

    def _guess(self, out: Float[Tensor, "network sample outer"]) -> Num[Tensor, "network sample"]:
        return out[..., 0] if self.scales else out.argmax(dim=-1)


def fit_mlp_probes(
    train: ProbeRows,
    validation: ProbeRows,
    *,
    kind: MlpKind,
    seeds: Sequence[int],
    classes: int | None = None,
    training: MlpTraining | None = None,
    done: Callable[[int], None] = lambda _: None,
) -> MlpProbes:
    """Train one network per seed, place and target, many at a time; on a processor, on all threads.

    Each network is what it would be if trained alone: it has its own loss, its own best epoch
    and its own end. The networks of one seed start alike and meet the tokens in one order.
    Features and numbers are standardised by the training tokens. Training runs on the device
    of the states; in float64 if they are, else in float32.

    Args:
        train: Tokens to learn from.
        validation: Tokens of other documents, which say which epoch was best.
        kind: `mlp`, four layers as in B; or `mlp-small`, one hidden layer.
        seeds: Different seeds, each of which makes networks of its own.
        classes: How many classes the one target has; None for numbers.
        training: How they learn; None: as usual.
        done: Is told now and then how many networks have just stopped learning.
    """
    assert len(set(seeds)) == len(seeds) > 0, "want different seeds"
    assert validation.states.shape[1], "want tokens that say which epoch was best"
    features = FeatureScales.of(train.states)
    scales = None if classes else NumberScales.of(train.targets)
    answers, watched = (_answers(rows, scales, features.mean) for rows in (train, validation))
    places, _, d = train.states.shape
    shape = (len(seeds), places, answers.shape[1])
    widths = (d, *HIDDEN[kind], classes or 1)
    training, telling = training or MlpTraining(), Lock()

    def trained(chosen: Int[Tensor, "network axis"], go_on: Callable[[], None]) -> MlpStack:
        own_seeds = [seeds[number] for number in chosen[:, 0].tolist()]
        seed, place, target = chosen.T.to(answers.device)
        stack = MlpStack(
            networks=start_networks(widths, own_seeds, features.mean),
            seed=seed,
            place=place,
            target=target,
            scales=features,
        )

        def tell(stopped: int) -> None:
            go_on()
            with telling:
                done(stopped)

        train_stack(
            stack,
            (train.states, answers),
            (validation.states, watched),
            seeds=own_seeds,
            training=training,
            done=tell,
        )
        return stack

    on_processor = answers.device.type == "cpu"
    most = _most(widths, training.batch, on_processor=on_processor)
    if on_processor:
        stacks = side_by_side(trained, _groups(shape, most, threads=torch.get_num_threads()))
    else:
        stacks = [trained(chosen, lambda: None) for chosen in _groups(shape, most)]
    return MlpProbes(stacks=tuple(stacks), shape=shape, scales=scales)


def _answers(
    rows: ProbeRows, scales: NumberScales | None, like: Float[Tensor, "..."]
) -> Num[Tensor, "sample target"]:
    """Return what the networks are to say: standardised numbers, or classes in one column."""
    if scales is None:
        return rows.targets[:, None].to(like.device)
    return scales.standardise(rows.targets).to(like)


def _most(widths: Sequence[int], batch: int, *, on_processor: bool) -> int:
    """Say how many networks go into a stack."""
    numbers = sum(inner * outer for inner, outer in pairwise(widths))
    most = _CACHED if on_processor else _PARAMETERS
    return max(1, min(most // numbers, _STATES // (batch * max(widths))))


def _groups(
    shape: tuple[int, int, int], most: int, *, threads: int = 1
) -> Sequence[Int[Tensor, "network axis"]]:
    """Number the networks by seed, place and target, in groups for all threads alike."""
    numbers = torch.ones(shape).nonzero()
    rounds = ceil(len(numbers) / (most * threads))
    return numbers.tensor_split(min(rounds * threads, len(numbers)))
