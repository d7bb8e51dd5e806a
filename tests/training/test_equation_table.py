import numpy as np

from posprobe.data.equations import addition, reversal
from posprobe.data.vocabulary import ascii_vocabulary
from posprobe.training.equation_table import EquationTable

ASCII = ascii_vocabulary()
EQUATIONS = (reversal("12"), reversal("3456"))


def lesson(equations=EQUATIONS, *, causal, **options):
    table = EquationTable(equations, ASCII, name="task", causal=causal)
    return table.lesson(np.arange(len(equations)), **options)


def text(ids):
    return "".join(ASCII.characters[i] for i in ids)


def answers(part):
    """What is to be predicted, by row, and the token read at each of those places."""
    rows = part.at // part.tokens.shape[1]
    read = part.tokens.flatten()[part.at]
    return [(text(part.targets[rows == i]), text(read[rows == i])) for i in range(len(part.tokens))]


def test_a_causal_model_predicts_each_next_token_up_to_the_newline():
    part = lesson(causal=True)
    assert answers(part) == [
        ("ev(12)=21\n", "rev(12)=21"),
        ("ev(3456)=6543\n", "rev(3456)=6543"),
    ]
    assert part.mask is None


def test_answers_only():
    assert answers(lesson(causal=True, answers_only=True)) == [("21\n", "=21"), ("6543\n", "=6543")]


def test_a_model_that_sees_ahead_never_sees_the_answer():
    part = lesson(causal=False)
    assert answers(part) == [("21\n", "\n\n\n"), ("6543\n", "\n\n\n\n\n")]
    assert text(part.tokens[1]) == "rev(3456)=\n\n\n\n\n"
    assert part.mask.sum(1).tolist() == [11, 15]


def test_the_end_of_an_addition_is_part_of_its_answer():
    part = lesson((addition("17", "5"),), causal=True, answers_only=True)
    assert answers(part) == [("22$\n", "=22$")]


def test_tokens_are_counted_without_padding():
    assert lesson(causal=True).n_tokens == 11 + 15
