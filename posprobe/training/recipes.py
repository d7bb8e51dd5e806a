"""The trainings posprobe knows by name."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal

from posprobe.core.errors import UserError
from posprobe.models.config import DecoderConfig, EncoderConfig
from posprobe.training.config import TrainConfig
from posprobe.training.data_config import TaskData, TextData

Position = Literal["dstg", "ap", "rp", "rope"]
TaskName = Literal["addition", "reversal", "indexing", "ordering"]

_SMALL: dict[TaskName, tuple[int, int]] = {
    "reversal": (192, 4000),
    "addition": (144, 6000),
    "indexing": (96, 4000),
    "ordering": (96, 10_000),
}
"""Width and steps of the small NoPE models."""


def encoder_recipe(position: Position) -> TrainConfig:
    """The paper's size (arXiv 2605.30022), with what its public code sets.

    The feed-forward widths are the code's: DSTG's is two thirds of 3072 + 1536, as it serves
    both streams; the baselines' two thirds of 3072. Both residual streams are 768 wide.
    """
    dstg = position == "dstg"
    return TrainConfig(
        recipe=position,
        model=EncoderConfig(
            position=position,
            d_pos=48,
            d_mlp=3072 if dstg else 2048,
            residual="normed" if dstg else "plain",
            special_ids=(0, 1, 2, 3),
        ),
        data=TextData(length=512, min_tokens=32, vocab_size=30522),
        batch_size=32,
        steps=100_000,
        lr=1e-4,
        warmup=2000,
        step_folders=_spread(100_000),
        save_every=1000,
        eval_every=1000,
        mixed_precision="no",
    )


def tiny_encoder_recipe(position: Position) -> TrainConfig:
    """A size for two CPU cores; the four differ in `model.position` and in `init`.

    The residual stream is 96 wide in each: 16 + 80 in DSTG, 96 in the others; so are the
    feed-forward width, the data, their order and the masks. Documents begin at position 0:
    a [CLS] there and a [SEP] at the last position would each have a row of the position table
    that differs from all others. At higher rates the steps that Adam takes on noise hide what
    the table learns: each of its rows sees one token in 128.

    How queries and keys begin decides at this size what a position table is used for. Where
    DSTG begins with large ones, its table becomes a ring that serves local attention before the
    relative bias can; where the AP model begins with small ones, it learns little else than a
    smooth table for most of the training. Each has the beginning with which it learns faster.
    """
    return TrainConfig(
        recipe=f"{position}-tiny",
        model=EncoderConfig(
            position=position,
            n_layers=4,
            n_heads=4,
            d_model=96,
            d_pos=16,
            d_mlp=256,
            n_ctx=128,
            d_vocab=2000,
            rp_border="none",
            special_ids=(0, 1, 2, 3),
        ),
        data=TextData(source="docstrings", length=128, vocab_size=2000, wrap=False),
        batch_size=16,
        steps=4000,
        lr=1e-3,
        beta2=0.98,
        warmup=200,
        bias_lr_scale=3.0,
        init="even" if position == "dstg" else "fan-in",
        step_folders=_spread(4000),
        step_weights="small",
        threads=1,
    )


def nanogpt_recipe(task: TaskName) -> TrainConfig:
    """A NoPE model of the paper's size (arXiv 2501.00073) on one task."""
    return TrainConfig(
        recipe=f"nanogpt-nope-{task}",
        model=DecoderConfig(),
        data=TaskData(task=task, train=20_000, variable=task != "indexing"),
        batch_size=64,
        steps=10_000,
        lr=1e-3,
        beta2=0.99,
        weight_decay=0.1,
        warmup=100,
        target=0.999,
    )


def small_nanogpt_recipe(task: TaskName) -> TrainConfig:
    """A NoPE model for one CPU core, on equations of one length.

    A reversal has sixteen digits to learn from, and a model 192 wide learns it from whole lines.
    The other answers are short, so that little else than noise is learned from a line: there the
    answers alone are learned, and attention begins even, as a sum over all that precedes is what
    tells positions without an encoding apart.
    """
    large = nanogpt_recipe(task)
    width, steps = _SMALL[task]
    whole = task == "reversal"
    return replace(
        large,
        recipe=f"{large.recipe}-small",
        model=replace(large.model, d_model=width),
        data=TaskData(task=task, train=200_000, variable=False, answers_only=not whole),
        steps=steps,
        init="authors" if whole else "even",
        threads=1,
    )


def noncausal_recipe(task: TaskName) -> TrainConfig:
    """The control of the small model: every token sees every other, the answer is hidden.

    A model that sees ahead cannot learn the next token, which it would copy. It reads the
    prompt with newlines in place of the answer, and predicts the answer in one go. Without
    positions and without causality it cannot tell one order of its input from another, nor
    one place of the answer from the next: it learns the digits' frequencies and no more,
    which is what the control is to show.
    """
    small = small_nanogpt_recipe(task)
    return replace(
        small,
        recipe=f"nanogpt-nope-{task}-noncausal",
        model=replace(small.model, causal=False),
        steps=2000,
    )


def _spread(steps: int) -> tuple[int, ...]:
    """Eight steps, closer together at the beginning, where most happens."""
    return tuple(round(steps * share) for share in (0.03, 0.06, 0.1, 0.15, 0.25, 0.4, 0.6, 0.8))


def _all() -> dict[str, Callable[[], TrainConfig]]:
    positions: tuple[Position, ...] = ("dstg", "ap", "rp", "rope")
    tasks: tuple[TaskName, ...] = ("addition", "reversal", "indexing", "ordering")
    found: dict[str, Callable[[], TrainConfig]] = {}
    for position in positions:
        found[position] = partial(encoder_recipe, position)
        found[f"{position}-tiny"] = partial(tiny_encoder_recipe, position)
    for task in tasks:
        found[f"nanogpt-nope-{task}"] = partial(nanogpt_recipe, task)
        found[f"nanogpt-nope-{task}-small"] = partial(small_nanogpt_recipe, task)
        found[f"nanogpt-nope-{task}-noncausal"] = partial(noncausal_recipe, task)
    return found


RECIPES = _all()
"""Functions by name, each of which returns a whole config."""


def recipe_config(name: str) -> TrainConfig:
    """Return the config of a recipe.

    Raises:
        UserError: If there is no recipe of that name; the message lists those that there are.
    """
    if name not in RECIPES:
        raise UserError(f"no recipe {name!r}; there are: {', '.join(RECIPES)}")
    return RECIPES[name]()
