"""One equation of each symbolic task: what the model reads and what it must answer."""

from dataclasses import dataclass

from posprobe.core.errors import CorpusError

DIGITS = frozenset("0123456789")


@dataclass(frozen=True, kw_only=True)
class Equation:
    """A question with one right answer.

    Attributes:
        prompt: What the model reads, up to and including `=`.
        answer: What it should write next.
        end: What closes a training line, such as the second `$` of an addition.
    """

    prompt: str
    answer: str
    end: str = ""

    @property
    def line(self) -> str:
        """The whole training line, without a newline."""
        return self.prompt + self.answer + self.end


def addition(a: str, b: str) -> Equation:
    """Ask for a sum, its digits from last to first.

    Units come first in the answer, so that each digit follows from what is already
    written. Source: B, the addition task.

    Args:
        a: First number, in digits.
        b: Second number, in digits.

    Raises:
        CorpusError: If a number is not made of digits.

    >>> addition("128", "73").line
    '$128+73=102$'
    """
    _check_digits(a=a, b=b)
    return Equation(prompt=f"${a}+{b}=", answer=str(int(a) + int(b))[::-1], end="$")


def reversal(x: str) -> Equation:
    """Ask for a string of digits from last to first.

    Source: B, the reversal task.

    Args:
        x: The digits; a leading zero is a digit like any other.

    Raises:
        CorpusError: If `x` is not made of digits.

    >>> reversal("0123").line
    'rev(0123)=3210'
    """
    _check_digits(x=x)
    return Equation(prompt=f"rev({x})=", answer=x[::-1])


def indexing(x: str, d: str) -> Equation:
    """Ask where a digit first occurs, counted from 0.

    Source: B, the indexing task.

    Args:
        x: The digits to search.
        d: The digit to find; it must occur in `x`.

    Raises:
        CorpusError: If `x` or `d` is not made of digits, or `d` does not occur.

    >>> indexing("510737295", "7").line
    'wherex(510737295,7)=3'
    """
    _check_digits(x=x, d=d)
    if len(d) != 1 or d not in x:
        raise CorpusError(f"indexing: d={d!r} is not one digit of x={x!r}; pick one that is")
    return Equation(prompt=f"wherex({x},{d})=", answer=str(x.index(d)))


def ordering(x: str, s: str) -> Equation:
    """Ask, for each digit of a shuffled copy, where it stands in the original.

    Source: B, the ordering task.

    Args:
        x: Distinct digits.
        s: The same digits in another order.

    Raises:
        CorpusError: If the digits of `x` are not distinct, or `s` has others.

    >>> ordering("74283", "87234").line
    'order(74283,87234)=30241'
    """
    _check_digits(x=x, s=s)
    if len(set(x)) != len(x) or sorted(x) != sorted(s):
        raise CorpusError(
            f"ordering: x={x!r} and s={s!r} must be the same distinct digits in two orders"
        )
    return Equation(prompt=f"order({x},{s})=", answer="".join(str(x.index(d)) for d in s))


def _check_digits(**values: str) -> None:
    for name, value in values.items():
        # str.isdigit would also pass superscripts and other scripts.
        if not value or not DIGITS.issuperset(value):
            raise CorpusError(f"{name}={value!r} must be one or more of the digits 0 to 9")
