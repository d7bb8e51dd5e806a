"""One step of the optimiser, on any number of processes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from accelerate import Accelerator
from torch import Tensor
from torch.nn.functional import cross_entropy

from posprobe.models.decoder import Decoder
from posprobe.models.encoder import Encoder
from posprobe.training.accelerator import fast_attention
from posprobe.training.config import TrainConfig
from posprobe.training.lesson import Lesson
from posprobe.training.optimizer import make_optimizer
from posprobe.training.schedule import rate_at


@dataclass(frozen=True, kw_only=True)
class Step:
    """What a step was.

    Attributes:
        loss: This process's part of the mean loss over all processes' targets; left where the
            model is, since to read it would make an accelerator wait.
        norm: Length of the gradient before clipping.
        lr: Learning rate.
        tokens: Tokens read by all processes.
        stopping: Whether any process was asked to stop.
    """

    loss: Tensor
    norm: Tensor
    lr: float
    tokens: int
    stopping: bool


class Learner:
    """A model with its optimiser.

    The loss of a step is the sum over all targets of all processes and forward passes, divided
    by their number. So it is the same however the samples are spread, which a mean of means
    would not be: documents differ in how many of their tokens are masked.

    Attributes:
        model: The model itself, without what `accelerate` wraps around it.
    """

    def __init__(
        self, model: Encoder | Decoder, config: TrainConfig, accelerator: Accelerator
    ) -> None:
        self.model, self.config, self.accelerator = model, config, accelerator
        self._optimizer = make_optimizer(model, config)
        self._wrapped, self._stepper = accelerator.prepare(model, self._optimizer)

    def learn(self, lessons: Sequence[Lesson], *, step: int, stop: bool = False) -> Step:
        """Take one step.

        Args:
            lessons: This process's forward passes.
            step: Number of the step, from 0.
            stop: Whether this process was asked to stop.
        """
        here = [sum(len(x.targets) for x in lessons), sum(x.n_tokens for x in lessons), int(stop)]
        device = self.accelerator.device
        if self.accelerator.num_processes > 1:
            here = self.over_processes(torch.tensor(here, device=device)).tolist()
        targets, tokens, stopping = here
        lr = self._set_rate(step)
        loss = torch.zeros((), device=device)
        for lesson in lessons[:-1]:
            with self.accelerator.no_sync(self._wrapped):
                loss += self._backward(lesson, targets)
        loss += self._backward(lessons[-1], targets)
        norm = self.accelerator.clip_grad_norm_(
            self._wrapped.parameters(), self.config.clip or math.inf
        )
        self._stepper.step()
        self._stepper.zero_grad(set_to_none=True)
        assert isinstance(norm, Tensor)
        return Step(loss=loss, norm=norm, lr=lr, tokens=tokens, stopping=bool(stopping))

    def over_processes(self, numbers: Tensor) -> Tensor:
        """Add up numbers of all processes."""
        total = self.accelerator.reduce(numbers, reduction="sum")
        assert isinstance(total, Tensor)
        return total

    def state(self) -> dict[str, Any]:
        """Return the weights and the optimiser's moments."""
        return {"model": self.model.state_dict(), "optimizer": self._optimizer.state_dict()}

    def load(self, state: dict[str, Any]) -> None:
        """Take over what `state` returned."""
        self.model.load_state_dict(state["model"])
        self._optimizer.load_state_dict(state["optimizer"])

    def _backward(self, lesson: Lesson, targets: int) -> Tensor:
        lesson = lesson.to(self.accelerator.device)
        with fast_attention(self.accelerator):
            logits = self._wrapped(lesson.tokens, lesson.mask, at=lesson.at)
        loss = cross_entropy(logits.float(), lesson.targets, reduction="sum") / max(targets, 1)
        # accelerate averages the processes' gradients; here they are to be added.
        self.accelerator.backward(loss * self.accelerator.num_processes)
        return loss.detach()

    def _set_rate(self, step: int) -> float:
        config = self.config
        share = rate_at(step, steps=config.steps, warmup=config.warmup, floor=config.floor)
        for group in self._optimizer.param_groups:
            group["lr"] = config.lr * share * group["scale"]
        return config.lr * share
