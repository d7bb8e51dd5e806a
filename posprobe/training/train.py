"""Training a model from a recipe."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from posprobe.core.errors import UserError
from posprobe.training.accelerator import make_accelerator
from posprobe.training.config import TrainConfig
from posprobe.training.first_weights import first_weights
from posprobe.training.learner import Learner
from posprobe.training.loop import Loop
from posprobe.training.opening import open_lessons
from posprobe.training.overrides import override
from posprobe.training.progress import Progress
from posprobe.training.recipes import recipe_config
from posprobe.training.record import training_record
from posprobe.training.run_folder import RunFolder
from posprobe.training.stopping import stop_on_sigterm


def train(
    recipe: str | TrainConfig,
    out: Path | str,
    *,
    overrides: Sequence[str] = (),
    resume: bool = True,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Path:
    """Train a model and write it as a folder that `posprobe.load` opens.

    A training that was killed goes on from its last state, with the same losses to the last bit
    on a CPU with as many threads. A finished one is left as it is.

    Args:
        recipe: A recipe's name, or a whole config.
        out: Where the model, its log and its checkpoints along the way go.
        overrides: Settings to change, as `key=value`; see `override`.
        resume: Whether to go on from what is in `out`. False: begin again, and lose it.
        progress: Called with each line of the log; on several processes, on the first only.

    Returns:
        `out`.

    Raises:
        UserError: If a setting, the corpus or the folder is not usable, or the loss is lost.
        TrainingStopped: If SIGTERM asked to stop; the state is saved.
    """
    config = override(recipe_config(recipe) if isinstance(recipe, str) else recipe, overrides)
    folder = RunFolder(Path(out))
    accelerator = make_accelerator(config)
    if accelerator.is_main_process:
        folder.sweep() if resume else folder.clear()
    accelerator.wait_for_everyone()
    if (done := folder.finished()) is not None:
        return _finished(folder, done, config)
    lessons = open_lessons(config, cache=folder.corpus, maker=accelerator.is_main_process)
    model = first_weights(config, lessons.tokenizer)

    def record(loop: Loop) -> dict[str, Any]:
        return training_record(
            config,
            overrides=overrides,
            out=str(out),
            data=lessons.source,
            longest=lessons.longest,
            step=loop.step,
            tokens=loop.tokens,
            seconds=loop.seconds,
            evaluation=loop.evaluation,
            log=folder.read_log(),
            threads=torch.get_num_threads(),
            processes=accelerator.num_processes,
        )

    first = accelerator.is_main_process
    shown = progress if first else lambda _: None
    with stop_on_sigterm() as stop:
        learner = Learner(model, config, accelerator)
        loop = Loop(learner, lessons, folder, record=record, progress=shown)
        loop.run(stop)
    if first:
        folder.finish(learner.model, record(loop))
    accelerator.wait_for_everyone()
    if accelerator.num_processes > 1:
        accelerator.end_training()
    return folder.path


def _finished(folder: RunFolder, done: dict[str, Any], config: TrainConfig) -> Path:
    if done.get("config") != config.to_dict():
        raise UserError(
            f"{folder.path}: holds a finished checkpoint of another training; give another --out, "
            "or begin again with --no-resume"
        )
    return folder.path
