"""What a checkpoint's records say of its training, as numbers to draw."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float


@dataclass(frozen=True, kw_only=True)
class TrainingCurve:
    """One training, by step.

    Attributes:
        name: What to call it beside others.
        steps: The steps at which the training loss was written down.
        loss: The training loss there: the mean since the step before, in nats.
        held_out_steps: The steps after which it was tested on what is held out.
        held_out: What was found there, by name, such as `loss` or `exact_match`; NaN where a
            test did not say.
    """

    name: str
    steps: Float[np.ndarray, " sample"]
    loss: Float[np.ndarray, " sample"]
    held_out_steps: Float[np.ndarray, " _sample"]
    held_out: dict[str, Float[np.ndarray, " _sample"]]


def read_curve(name: str, trained: dict[str, Any]) -> TrainingCurve | None:
    """Read the curve from a checkpoint's own records; None where they have none.

    Records are files that anybody can edit, so entries that are no numbers are passed over.

    Args:
        name: What to call it.
        trained: The records: `curve` has pairs of step and loss, `evaluations` pairs of step and
            numbers by name.

    >>> records = {"curve": [[10, 7.5], [20, 6.0]], "evaluations": [[20, {"loss": 6}]]}
    >>> curve = read_curve("dstg-tiny", records)
    >>> curve.loss, curve.held_out
    (array([7.5, 6. ]), {'loss': array([6.])})
    """
    losses = [(step, loss) for step, loss in _pairs(trained.get("curve")) if _is_number(loss)]
    if not losses:
        return None
    tests = [pair for pair in _pairs(trained.get("evaluations")) if isinstance(pair[1], dict)]
    names = dict.fromkeys(
        k for _, found in tests for k, value in found.items() if _is_number(value)
    )
    return TrainingCurve(
        name=name,
        steps=np.array([step for step, _ in losses], dtype=float),
        loss=np.array([loss for _, loss in losses], dtype=float),
        held_out_steps=np.array([step for step, _ in tests], dtype=float),
        held_out={key: _values(tests, key) for key in names},
    )


def _pairs(entries: Any) -> Iterator[tuple[float, Any]]:
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, list) and len(entry) == 2 and _is_number(entry[0]):
            yield entry[0], entry[1]


def _values(tests: list[tuple[float, Any]], key: str) -> np.ndarray:
    found = [test.get(key) for _, test in tests]
    return np.array([value if _is_number(value) else np.nan for value in found], dtype=float)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
