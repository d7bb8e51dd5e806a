import json

import numpy as np
import pytest

from posprobe.core.errors import CorpusError
from posprobe.data.symbolic import TASKS, pad_front
from posprobe.data.vocabulary import ascii_vocabulary

SHORT = {"rev": "reversal", "add": "addition", "order": "ordering", "wherex": "indexing"}
LENGTHS = {"addition": 9, "reversal": 22, "indexing": 20, "ordering": 19}


@pytest.mark.parametrize("name", TASKS)
def test_fixed_prompts_have_one_length_and_end_in_equals(name):
    prompts = TASKS[name].prompts(200, seed=0)
    assert {len(prompt) for prompt in prompts} == {LENGTHS[name]}
    assert all(prompt.endswith("=") for prompt in prompts)
    assert len(set(prompts)) == 200


@pytest.mark.parametrize("name", TASKS)
def test_every_answer_is_right(name):
    for equation in TASKS[name].equations(200, seed=1, variable=True):
        line = equation.line
        question, answer = line.removeprefix("$").removesuffix("$").split("=")
        if name == "addition":
            a, b = question.split("+")
            assert answer == "".join(reversed(str(int(a) + int(b))))
            continue
        first, *second = question[question.index("(") + 1 : -1].split(",")
        if name == "reversal":
            assert answer == "".join(reversed(first))
        elif name == "indexing":
            assert int(answer) == next(i for i, digit in enumerate(first) if digit == second[0])
        else:
            assert [first[int(place)] for place in answer] == list(second[0])


@pytest.mark.parametrize("name", TASKS)
def test_variable_prompts_reach_every_digit_count(name):
    task = TASKS[name]
    lengths = set()
    for prompt in task.prompts(400, seed=0, variable=True):
        x = prompt.strip("$=").split("+")[0] if name == "addition" else prompt.split("(")[1]
        lengths.add(len(x.split(",")[0].rstrip(")=")))
    assert lengths == set(range(1, task.digits + 1))


def test_numbers_of_several_digits_do_not_start_with_zero():
    for prompt in TASKS["addition"].prompts(300, seed=2, variable=True):
        for number in prompt.strip("$=").split("+"):
            assert number == str(int(number))


@pytest.mark.parametrize("name", TASKS)
def test_the_same_seed_gives_the_same_lines_and_more_lines_begin_with_them(name):
    task = TASKS[name]
    few, many = task.equations(20, seed=7), task.equations(50, seed=7)
    assert many[:20] == few
    assert task.equations(20, seed=np.random.default_rng(7)) == few
    assert task.equations(20, seed=8) != few


@pytest.mark.parametrize(
    ("name", "variable", "digits"),
    [
        ("addition", False, 1),
        ("addition", True, 1),
        ("reversal", True, 2),
        ("indexing", False, 2),
        ("indexing", True, 2),
        ("ordering", False, 2),
        ("ordering", True, 2),
    ],
)
def test_all_different_equations_can_be_drawn_but_no_more(name, variable, digits):
    task = TASKS[name]
    available = task.count(1 if variable else digits, digits)
    drawn = task.equations(available, seed=0, variable=variable, digits=digits)
    assert len({equation.line for equation in drawn}) == available
    with pytest.raises(CorpusError, match=f"only {available} different"):
        task.equations(available + 1, seed=0, variable=variable, digits=digits)


def test_count_of_fixed_additions():
    assert TASKS["addition"].count(3, 3) == 900**2


@pytest.mark.parametrize(("n", "digits"), [(0, 3), (5, 0)])
def test_counts_below_one_are_refused(n, digits):
    with pytest.raises(CorpusError, match="at least 1"):
        TASKS["addition"].prompts(n, seed=0, digits=digits)


def test_ordering_has_ten_digits_at_most():
    assert len(TASKS["ordering"].prompts(3, seed=0, digits=10)[0]) == len("order(,)=") + 20
    with pytest.raises(CorpusError, match="digits=11"):
        TASKS["ordering"].prompts(3, seed=0, digits=11)


def test_front_padding_of_lines():
    assert pad_front("rev(12)=21", 12) == "\n\nrev(12)=21"
    assert pad_front("order(74283,87234)=30241", 19) == "order(74283,87234)="
    with pytest.raises(CorpusError, match="front_pad=0"):
        pad_front("rev(1)=1", 0)


@pytest.mark.parametrize("name", TASKS)
def test_front_padded_prompts_have_the_length_asked_for(name):
    task = TASKS[name]
    prompts = task.prompts(50, seed=0, variable=True, front_pad=task.front_pad)
    assert {len(prompt) for prompt in prompts} == {task.front_pad}
    lines = [equation.line for equation in task.equations(50, seed=0, variable=True)]
    assert all(p.lstrip("\n") == line[: len(p)] for p, line in zip(prompts, lines, strict=True))


@pytest.mark.parametrize("fork", ["nopefork_nope", "nopefork_nores", "nopefork_sin"])
def test_padding_and_encoding_agree_with_the_original_code(shared, fork):
    tasks = json.loads((shared / f"golden/{fork}.adjacency.json").read_text())["tasks"]
    vocabulary = ascii_vocabulary()
    with np.load(shared / f"golden/{fork}.adjacency.npz") as arrays:
        for short, name in SHORT.items():
            length = TASKS[name].front_pad
            padded = [pad_front(line, length) for line in tasks[short]["lines"]]
            assert padded == [pad_front(prompt, length) for prompt in tasks[short]["prompts"]]
            ids = np.array([vocabulary.encode(prompt) for prompt in padded])
            np.testing.assert_array_equal(ids, arrays[f"{short}_ids"])
