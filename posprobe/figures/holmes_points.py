"""Points of scores, one row per field or phenomenon, one colour per checkpoint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from posprobe.analysis.holmes import FieldScore, HolmesResult, PhenomenonScore
from posprobe.figures.marks import Scatter, Shape
from posprobe.figures.theme import SERIES

RANDOM = "same architecture, random weights"
SHUFFLED = "labels shuffled"
"""What the controls are called in the key."""

Rows = Mapping[str, Sequence[FieldScore | PhenomenonScore]]
"""The scores of each row, by its name."""

_TRAINED = "checkpoint"
_SHAPES: tuple[Shape, ...] = ("circle", "square", "diamond", "triangle")
# How much of a row the checkpoints share among them, and how far apart two of them are.
_SPREAD, _STEP = 0.6, 0.25


@dataclass(frozen=True, kw_only=True)
class Examined:
    """A checkpoint under a condition.

    Attributes:
        checkpoint: The model.
        condition: Its weights.
        index: Its place among the checkpoints, from 0.
        count: How many checkpoints there are.
        control: Whether it stands beside the same checkpoint with trained weights.
    """

    checkpoint: str
    condition: str
    index: int
    count: int
    control: bool

    @property
    def name(self) -> str:
        """What it is called."""
        random = "" if self.condition == _TRAINED else f" ({self.condition})"
        return self.checkpoint + random

    @property
    def offset(self) -> float:
        """How far its points are from the middle of a row, in rows."""
        step = min(_STEP, _SPREAD / max(1, self.count - 1))
        return step * (self.index - (self.count - 1) / 2)


def examined(result: HolmesResult) -> tuple[Examined, ...]:
    """Return what was examined, the controls last.

    Args:
        result: Scores by checkpoint and condition.
    """
    pairs = list(dict.fromkeys((item.checkpoint, item.condition) for item in result.fields))
    trained = {checkpoint for checkpoint, condition in pairs if condition == _TRAINED}
    names = list(dict.fromkeys(checkpoint for checkpoint, _ in pairs))
    found = [
        Examined(
            checkpoint=checkpoint,
            condition=condition,
            index=names.index(checkpoint),
            count=len(names),
            control=condition != _TRAINED and checkpoint in trained,
        )
        for checkpoint, condition in pairs
    ]
    return tuple(sorted(found, key=lambda model: model.control))


def points(rows: Rows, models: Sequence[Examined]) -> tuple[Scatter, ...]:
    """Return the scores of every row, then those of the controls.

    Args:
        rows: From the top to the bottom.
        models: What is drawn.
    """
    own = [_scores(rows, model) for model in models if not model.control]
    random = [_scores(rows, model) for model in models if model.control]
    shuffled = [_shuffled(rows, model) for model in models if not model.control]
    return (*own, *_keyed(random), *_keyed(shuffled))


def seed_sd(by_seed: Sequence[float]) -> float:
    """Return the standard deviation over seeds; NaN for fewer than two.

    >>> seed_sd([0.5]), round(seed_sd([0.4, 0.6]), 3)
    (nan, 0.141)
    """
    return float(np.std(by_seed, ddof=1)) if len(by_seed) > 1 else float("nan")


def _scores(rows: Rows, model: Examined) -> Scatter:
    items = _items(rows, model)
    values = np.array([item.score for item in items.values()], dtype=float)
    spread = np.array([seed_sd(item.by_seed) for item in items.values()], dtype=float)
    return Scatter(
        x=values,
        y=_heights(rows, items, model),
        label=RANDOM if model.control else model.name,
        role=SERIES[model.index % len(SERIES)],
        shape=_SHAPES[model.index % len(_SHAPES)],
        filled=not model.control,
        names=tuple(f"{model.name}, {name}" for name in items) if model.control else tuple(items),
        low=values - spread,
        high=values + spread,
        interval="± 1 standard deviation over seeds",
    )


def _shuffled(rows: Rows, model: Examined) -> Scatter:
    items = _items(rows, model)
    return Scatter(
        x=np.array([item.shuffled for item in items.values()], dtype=float),
        y=_heights(rows, items, model),
        label=SHUFFLED,
        role="muted",
        shape="cross",
        filled=False,
        names=tuple(f"{model.name}, {name}" for name in items),
    )


def _items(rows: Rows, model: Examined) -> dict[str, FieldScore | PhenomenonScore]:
    return {
        name: item
        for name, items in rows.items()
        for item in items
        if (item.checkpoint, item.condition) == (model.checkpoint, model.condition)
    }


def _heights(rows: Rows, items: Mapping[str, object], model: Examined) -> Float[np.ndarray, " row"]:
    order = {name: index for index, name in enumerate(rows)}
    return np.array([order[name] for name in items], dtype=float) + model.offset


def _keyed(found: list[Scatter]) -> list[Scatter]:
    # The key shows the first mark of a name: a grey one without points, of no checkpoint.
    none = np.zeros(0)
    return [
        *(
            replace(p, x=none, y=none, low=None, high=None, names=(), role="muted")
            for p in found[:1]
        ),
        *found,
    ]
