"""The training loop."""

import json
import math
import threading
import time
from collections.abc import Callable
from typing import Any

import torch
from accelerate.utils import broadcast_object_list

from posprobe.core.errors import UserError
from posprobe.training.learner import Learner, Step
from posprobe.training.lessons import Lessons
from posprobe.training.progress import Progress
from posprobe.training.run_folder import RunFolder
from posprobe.training.stopping import TrainingStopped
from posprobe.training.stream import Stream


class Loop:
    """One training, from its first or last state to its end.

    Attributes:
        step: Steps done.
        tokens: Tokens read by all processes.
        seconds: Time spent in steps.
        evaluation: The last numbers on what is held out.
    """

    def __init__(
        self,
        learner: Learner,
        lessons: Lessons,
        folder: RunFolder,
        *,
        record: Callable[["Loop"], dict[str, Any]],
        progress: Callable[[Progress], None],
    ) -> None:
        self.learner, self.lessons, self.folder = learner, lessons, folder
        self.config, self.accelerator = learner.config, learner.accelerator
        self._record, self._progress = record, progress
        self.step = self.tokens = 0
        self.seconds = 0.0
        self.evaluation: dict[str, float] = {}
        self._losses = torch.zeros((), device=self.accelerator.device)
        self._since = (0, 0.0)
        self._stream = Stream(
            samples=len(lessons),
            batch_size=self.config.batch_size,
            accumulation=self.config.accumulation,
            processes=self.accelerator.num_processes,
            process=self.accelerator.process_index,
            seed=self.config.seed,
        )
        self._resume()

    def run(self, stop: threading.Event) -> None:
        """Train to the end, to the target, or until asked to stop.

        Raises:
            TrainingStopped: If `stop` was set; the state is saved.
            UserError: If the loss is not a number, or nothing can be written.
        """
        while self.step < self.config.steps and not self._reached():
            step = self._take_step(stop.is_set())
            last = self.step == self.config.steps
            if last or self._due(self.config.log_every):
                self._log(step)
            kept = self.step in self.config.step_folders
            # A kept step is compared with others at equal loss, so it needs its own.
            if last or kept or self._due(self.config.eval_every):
                self._evaluate()
            if kept:
                self._keep(step)
            if step.stopping or self._due(self.config.save_every):
                self._save(step)
            if step.stopping:
                raise TrainingStopped(
                    f"{self.folder.path}: stopped at step {self.step} of {self.config.steps}; "
                    "the same command goes on from there"
                )

    def _take_step(self, stop: bool) -> Step:
        began = time.perf_counter()
        lessons = [self.lessons.lesson(*part) for part in self._stream.step(self.step)]
        step = self.learner.learn(lessons, step=self.step, stop=stop)
        self._losses += step.loss
        spent = time.perf_counter() - began
        self.step += 1
        self.tokens += step.tokens
        self.seconds += spent
        self._since = (self._since[0] + step.tokens, self._since[1] + spent)
        return step

    def _due(self, every: int) -> bool:
        return self.step % every == 0

    def _reached(self) -> bool:
        return 0 < self.config.target <= self.evaluation.get("exact_match", 0.0)

    def _log(self, step: Step) -> None:
        losses = self._check(step)
        since = self.step % self.config.log_every or self.config.log_every
        (tokens, seconds), self._since = self._since, (0, 0.0)
        speed = tokens / seconds
        self._losses = torch.zeros_like(self._losses)
        self._write(
            loss=losses / since,
            lr=step.lr,
            gradient_norm=float(step.norm),
            tokens_per_second=round(speed, 1),
            seconds=round(self.seconds, 2),
        )
        self._progress(
            Progress(
                step=self.step,
                steps=self.config.steps,
                loss=losses / since,
                tokens_per_second=speed,
                seconds_left=(self.config.steps - self.step) * self.seconds / self.step,
                evaluation=self.evaluation,
            )
        )

    def _evaluate(self) -> None:
        with torch.no_grad():
            found = self.lessons.evaluate(self.learner.model, self.accelerator.device)
        if self.accelerator.num_processes > 1:
            # A last bit that differs must not let one process stop and another go on.
            (found,) = broadcast_object_list([found])
        self.evaluation = found
        self._write(eval=found)

    def _keep(self, step: Step) -> None:
        self._check(step)
        if self.accelerator.is_main_process:
            small = self.config.step_weights == "small"
            self.folder.save_step(self.learner.model, self.step, self._record(self), small=small)

    def _save(self, step: Step) -> None:
        losses = self._check(step)
        if self.accelerator.is_main_process:
            self.folder.save_state(
                {
                    "config": json.dumps(self.config.deciding()),
                    "data": self.lessons.source.sha256,
                    "step": self.step,
                    "tokens": self.tokens,
                    "seconds": self.seconds,
                    "losses": losses,
                    "evaluation": self.evaluation,
                    "rng": torch.get_rng_state(),
                    **self.learner.state(),
                }
            )

    def _resume(self) -> None:
        if state := self.folder.read_state():
            _check_same(json.loads(state["config"]), self.config.deciding(), self.folder)
            if state["data"] != self.lessons.source.sha256:
                raise UserError(
                    f"{self.folder.path}: holds a training on other data (the corpus has changed "
                    "since); give another --out, or begin again with --no-resume"
                )
            self.learner.load(state)
            torch.set_rng_state(state["rng"])
            self.step, self.tokens, self.seconds = state["step"], state["tokens"], state["seconds"]
            self.evaluation = state["evaluation"]
            if self.accelerator.is_main_process:
                self._losses += state["losses"]
        if self.accelerator.is_main_process:
            self.folder.cut_log(self.step)

    def _check(self, step: Step) -> float:
        """Return the sum of the losses since the last line of the log, all processes' parts.

        A gradient that is not finite has spoilt the weights, though the loss may not show yet.
        """
        losses = float(self.learner.over_processes(self._losses.clone()))
        if not math.isfinite(losses) or not math.isfinite(float(step.norm)):
            raise UserError(
                f"{self.folder.path}: loss or gradient is not a number at step {self.step}; lower "
                f"lr={self.config.lr} or lengthen warmup={self.config.warmup}; the last "
                "state, from before, is whole"
            )
        return losses

    def _write(self, **values: Any) -> None:
        if self.accelerator.is_main_process:
            self.folder.log(step=self.step, **values)


def _check_same(before: dict[str, Any], now: dict[str, Any], folder: RunFolder) -> None:
    changed = sorted(key for key in before.keys() | now.keys() if before.get(key) != now.get(key))
    if changed:
        raise UserError(
            f"{folder.path}: holds a training with other settings ({', '.join(changed)}); give "
            "another --out, or begin again with --no-resume"
        )
