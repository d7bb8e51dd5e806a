"""Training and test sets with nothing in common."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from posprobe.core.errors import CorpusError
from posprobe.data.documents import Document
from posprobe.data.equations import Equation
from posprobe.data.symbolic import Task

SHARE = 0.05
"""Fraction of documents that are held out."""
ROOM = 0.9
"""How much of what there is may be asked for; drawing the last ones would take too long."""


def is_held_out(text: str, *, share: float = 0.05) -> bool:
    """Say from a text alone whether it is kept for evaluation.

    No seed and no order matter: equal texts are on the same side in every corpus, and a
    corpus that grows keeps its split.

    Args:
        text: A whole document, or the prompt of an equation.
        share: How many texts are held out, as a fraction in (0, 1).

    Raises:
        CorpusError: If `share` is not between 0 and 1.
    """
    _check(share)
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") < share * 2**64


def training_documents(documents: Iterable[Document], *, share: float = 0.05) -> Iterator[Document]:
    """Pass on the documents that are not held out; `held_out_documents` has the others.

    Args:
        documents: A stream.
        share: Fraction of documents held out, in (0, 1).
    """
    return (doc for doc in documents if not is_held_out(doc.text, share=share))


def held_out_documents(documents: Iterable[Document], *, share: float = 0.05) -> Iterator[Document]:
    """Pass on the documents that `training_documents` leaves out.

    Args:
        documents: A stream.
        share: Fraction of documents held out, in (0, 1).
    """
    return (doc for doc in documents if is_held_out(doc.text, share=share))


def split_equations(
    task: Task,
    *,
    train: int,
    test: int,
    seed: int,
    variable: bool = False,
    digits: int | None = None,
    share: float = 0.1,
) -> tuple[tuple[Equation, ...], tuple[Equation, ...]]:
    """Draw equations for training and for test; all are different.

    The hash of a prompt decides which of the two sets it may be in, so that no training
    set, whatever its seed and size, has an equation of any test set.

    Args:
        task: One of `TASKS`.
        train: How many for training, at least 1.
        test: How many for test, at least 1.
        seed: Seed, at least 0. A larger set begins with the smaller one.
        variable: Whether numbers differ in length, as in `Task.equations`.
        digits: Digits of each number. None: as the task says.
        share: Fraction of all prompts that are kept for tests, in (0, 1).

    Returns:
        The equations for training and those for test.

    Raises:
        CorpusError: If there are not enough different equations of this kind.
    """
    _check(share)
    shortest, longest = task.digit_range(variable=variable, digits=digits)
    rngs = np.random.default_rng(seed).spawn(2)
    sides = (_Side(False, train, share), _Side(True, test, share))
    first, second = (
        _draw(task, shortest, longest, side, rng) for side, rng in zip(sides, rngs, strict=True)
    )
    return first, second


def _check(share: float) -> None:
    if not 0 < share < 1:
        raise CorpusError(f"share={share} of held-out texts must be between 0 and 1")


@dataclass(frozen=True)
class _Side:
    held_out: bool
    n: int
    share: float

    def takes(self, prompt: str) -> bool:
        return is_held_out(prompt, share=self.share) == self.held_out


def _draw(
    task: Task, shortest: int, longest: int, side: _Side, rng: np.random.Generator
) -> tuple[Equation, ...]:
    available = task.count(shortest, longest)
    fraction = side.share if side.held_out else 1 - side.share
    drawn: dict[str, Equation] = {}
    # Of a handful of equations, the hash may give one side next to nothing.
    patience = 100 * available if side.n <= ROOM * fraction * available else 0
    while len(drawn) < side.n and patience > 0:
        equation = task.draw(rng, shortest, longest)
        if side.takes(equation.prompt) and equation.prompt not in drawn:
            drawn[equation.prompt] = equation
            patience = 100 * available
        patience -= 1
    if len(drawn) < side.n or side.n < 1:
        raise CorpusError(
            f"{task.name}: {'test' if side.held_out else 'train'}={side.n}, but that part is "
            f"about {fraction:.0%} of {available} different equations with numbers of {shortest} "
            f"to {longest} digits; ask for fewer (at least 1), or for more digits"
        )
    return tuple(drawn.values())
