"""The four symbolic tasks: drawing equations from a seed."""

from collections.abc import Callable
from dataclasses import dataclass
from math import factorial, perm

import numpy as np

from posprobe.core.errors import CorpusError
from posprobe.data.equations import Equation, addition, indexing, ordering, reversal


@dataclass(frozen=True, kw_only=True)
class Task:
    """A kind of equation and how to draw it.

    Attributes:
        name: `addition`, `reversal`, `indexing` or `ordering`.
        formula: The form of a line.
        digits: Digits of each number: exactly so many in prompts of fixed length, at
            most so many in prompts of variable length.
        front_pad: The length to which the authors' code pads and cuts a line.
        draw: Draws one equation whose numbers have digit counts in a range.
        count: How many different equations there are for that range.
    """

    name: str
    formula: str
    digits: int
    front_pad: int
    draw: Callable[[np.random.Generator, int, int], Equation]
    count: Callable[[int, int], int]

    def equations(
        self,
        n: int,
        *,
        seed: int | np.random.Generator,
        variable: bool = False,
        digits: int | None = None,
    ) -> tuple[Equation, ...]:
        """Draw different equations.

        A longer set with the same seed begins with the shorter one.

        Args:
            n: How many, at least 1.
            seed: Seed or generator.
            variable: False: every number has `digits` digits, so that all prompts have
                one length. True: each number first draws how many digits it has, from 1
                to `digits`, all equally likely.
            digits: Digits of each number. None: as the task says.

        Raises:
            CorpusError: If there are not `n` different equations of this kind.
        """
        shortest, longest = self.digit_range(variable=variable, digits=digits)
        self._check(n, shortest, longest)
        rng = np.random.default_rng(seed)
        drawn: dict[str, Equation] = {}
        while len(drawn) < n:
            equation = self.draw(rng, shortest, longest)
            drawn.setdefault(equation.prompt, equation)
        return tuple(drawn.values())

    def prompts(
        self,
        n: int,
        *,
        seed: int | np.random.Generator,
        variable: bool = False,
        digits: int | None = None,
        front_pad: int | None = None,
    ) -> tuple[str, ...]:
        """Draw what a model reads: prompts up to and including `=`.

        Args:
            n: How many, at least 1.
            seed: Seed or generator.
            variable: Whether the numbers differ in length, as in `equations`.
            digits: Digits of each number. None: as the task says.
            front_pad: Length in characters; each whole line is then padded and cut to it
                by `front_pad`, as the authors' code does (`task.front_pad` is its value).

        Raises:
            CorpusError: If there are not `n` different equations of this kind.
        """
        equations = self.equations(n, seed=seed, variable=variable, digits=digits)
        if front_pad is None:
            return tuple(equation.prompt for equation in equations)
        return tuple(pad_front(equation.line, front_pad) for equation in equations)

    def digit_range(self, *, variable: bool, digits: int | None) -> tuple[int, int]:
        """Return how many digits the numbers have, at least and at most."""
        longest = self.digits if digits is None else digits
        return (1 if variable else longest), longest

    def _check(self, n: int, shortest: int, longest: int) -> None:
        if n < 1 or longest < 1:
            raise CorpusError(f"{self.name}: n={n} and digits={longest} must be at least 1")
        available = self.count(shortest, longest)
        if n > available:
            raise CorpusError(
                f"{self.name}: n={n}, but only {available} different equations have numbers of "
                f"{shortest} to {longest} digits; ask for fewer or for more digits"
            )


def pad_front(line: str, length: int) -> str:
    r"""Cut a line to a length; put newlines in front of one that is shorter.

    This is how the code around arXiv 2501.00073 makes prompts of one length. It cuts the
    line with its answer, so that digits of the answer can be part of the prompt.

    Args:
        line: A whole line, or a prompt.
        length: Characters to keep, at least 1.

    Raises:
        CorpusError: If the length is below 1.

    >>> pad_front("$17+71=88$", 9), pad_front("$1+2=3$", 9)
    ('$17+71=88', '\n\n$1+2=3$')
    """
    if length < 1:
        raise CorpusError(f"front_pad={length}: the length must be at least 1 character")
    return line[:length].rjust(length, "\n")


def _draw_addition(rng: np.random.Generator, shortest: int, longest: int) -> Equation:
    return addition(_number(rng, shortest, longest), _number(rng, shortest, longest))


def _draw_reversal(rng: np.random.Generator, shortest: int, longest: int) -> Equation:
    return reversal(_string(rng, shortest, longest))


def _draw_indexing(rng: np.random.Generator, shortest: int, longest: int) -> Equation:
    x = _string(rng, shortest, longest)
    # Among the different digits, or the first places would be asked for too often.
    different = sorted(set(x))
    return indexing(x, different[int(rng.integers(len(different)))])


def _draw_ordering(rng: np.random.Generator, shortest: int, longest: int) -> Equation:
    size = int(rng.integers(shortest, longest + 1))
    x = rng.permutation(10)[:size]
    return ordering(_join(x), _join(rng.permutation(x)))


def _number(rng: np.random.Generator, shortest: int, longest: int) -> str:
    digits = _string(rng, shortest, longest)
    if len(digits) > 1 and digits[0] == "0":
        return str(rng.integers(1, 10)) + digits[1:]
    return digits


def _string(rng: np.random.Generator, shortest: int, longest: int) -> str:
    return _join(rng.integers(0, 10, size=int(rng.integers(shortest, longest + 1))))


def _join(digits: np.ndarray) -> str:
    return "".join(map(str, digits.tolist()))


def _count_addition(shortest: int, longest: int) -> int:
    return (10**longest - (10 ** (shortest - 1) if shortest > 1 else 0)) ** 2


def _count_reversal(shortest: int, longest: int) -> int:
    return sum(10**size for size in range(shortest, longest + 1))


def _count_indexing(shortest: int, longest: int) -> int:
    # A given digit occurs in all strings but those made of the other nine.
    return sum(10 * (10**size - 9**size) for size in range(shortest, longest + 1))


def _count_ordering(shortest: int, longest: int) -> int:
    if longest > 10:
        raise CorpusError(f"ordering: digits={longest}, but there are only 10 different digits")
    return sum(perm(10, size) * factorial(size) for size in range(shortest, longest + 1))


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task(
            name="addition",
            formula="$a+b=<reversed sum>$",
            digits=3,
            front_pad=9,
            draw=_draw_addition,
            count=_count_addition,
        ),
        Task(
            name="reversal",
            formula="rev(x)=<x reversed>",
            digits=16,
            front_pad=22,
            draw=_draw_reversal,
            count=_count_reversal,
        ),
        Task(
            name="indexing",
            formula="wherex(x,d)=<first place of d in x>",
            digits=9,
            front_pad=17,
            draw=_draw_indexing,
            count=_count_indexing,
        ),
        Task(
            name="ordering",
            formula="order(x,s)=<places in x of the digits of s>",
            digits=5,
            front_pad=19,
            draw=_draw_ordering,
            count=_count_ordering,
        ),
    )
}
"""The tasks of B by name."""
