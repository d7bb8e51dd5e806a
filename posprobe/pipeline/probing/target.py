"""A target as probes take it: a column of numbers, or one column for each class."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from posprobe.analysis.probes import TargetKind
from posprobe.data.target_names import CLASSES
from posprobe.pipeline.probing.corpus import ProbeCorpus

Guesses = dict[str, np.ndarray]
"""What was guessed of each token, by target: numbers as float64, classes as int64."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """One target of a corpus.

    Attributes:
        name: Its name.
        row: Its row in the labels.
        kind: Whether it is a number or a class.
        classes: Labels of the classes that the corpus has, in order; empty for a number.
        span: Largest − smallest number of the training tokens; NaN for classes.
        undefined: Why it cannot be probed; else None.
    """

    name: str
    row: int
    kind: TargetKind
    classes: tuple[int, ...]
    span: float
    undefined: str | None

    def truth(self, labels: Int[np.ndarray, "target sample"]) -> np.ndarray:
        """Return the number or the class, counted from 0, of each token."""
        label = labels[self.row]
        if self.kind == "number":
            return label.astype(np.float64)
        return np.searchsorted(np.array(self.classes), label)


def targets_of(corpus: ProbeCorpus) -> list[Target]:
    """List the targets of a corpus, those that cannot be probed among them."""
    train, test = (side.text.labels[:, side.text.counted] for side in (corpus.train, corpus.test))
    return [
        _target(name, row, train[row], test[row])
        for row, name in enumerate(corpus.train.text.targets)
    ]


def _target(
    name: str, row: int, train: Int[np.ndarray, " sample"], test: Int[np.ndarray, " other"]
) -> Target:
    is_class = name in CLASSES
    constant = min(np.ptp(train), np.ptp(test)) == 0
    return Target(
        name=name,
        row=row,
        kind="class" if is_class else "number",
        classes=tuple(np.union1d(train, test).tolist()) if is_class else (),
        span=float("nan") if is_class else float(np.ptp(train)),
        undefined="constant" if constant else None,
    )


class Columns:
    """Targets side by side as numbers: one column each, or one for each class (1 or 0).

    >>> number = Target(name="n", row=0, kind="number", classes=(), span=9, undefined=None)
    >>> kind = Target(name="k", row=1, kind="class", classes=(4, 7), span=0, undefined=None)
    >>> columns = Columns([number, kind])
    >>> columns.encode(np.array([[5], [7]])).tolist()
    [[5.0, 0.0, 1.0]]
    >>> guesses = columns.decode(np.array([[5.1, 0.3, 0.8]]))
    >>> guesses["n"].tolist(), guesses["k"].tolist()
    ([5.1], [1])
    """

    def __init__(self, targets: Sequence[Target]) -> None:
        self._targets = tuple(targets)
        widths = [max(1, len(target.classes)) for target in targets]
        self.groups = np.repeat(np.arange(len(widths)), widths).tolist()
        """Which target each column belongs to."""

    def encode(
        self, labels: Int[np.ndarray, "target sample"]
    ) -> Float[np.ndarray, "sample column"]:
        """Write the labels of tokens into columns."""
        parts = []
        for target in self._targets:
            truth = target.truth(labels)
            one_hot = truth[:, None] == np.arange(len(target.classes))
            parts.append(truth[:, None] if target.kind == "number" else one_hot)
        return np.concatenate(parts, axis=1).astype(np.float64)

    def decode(self, values: Float[np.ndarray, "sample column"]) -> Guesses:
        """Read guesses from columns: of classes, the one whose column is largest."""
        groups = np.array(self.groups)
        parts = [values[:, groups == group] for group in range(len(self._targets))]
        return {
            target.name: part[:, 0] if target.kind == "number" else part.argmax(axis=1)
            for target, part in zip(self._targets, parts, strict=True)
        }
