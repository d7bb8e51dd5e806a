import pytest

from posprobe.core.errors import CorpusError
from posprobe.data.documents import Document
from posprobe.data.splits import (
    held_out_documents,
    is_held_out,
    split_equations,
    training_documents,
)
from posprobe.data.symbolic import TASKS

DOCUMENTS = [Document(((f"Document {number}.",),), name=str(number)) for number in range(2000)]


@pytest.mark.parametrize("share", [0.05, 0.3])
def test_documents_are_on_one_side(share):
    train = list(training_documents(DOCUMENTS, share=share))
    held_out = list(held_out_documents(DOCUMENTS, share=share))
    assert {d.text for d in train} | {d.text for d in held_out} == {d.text for d in DOCUMENTS}
    assert len(train) + len(held_out) == len(DOCUMENTS)
    # Four standard deviations of a fair draw.
    assert abs(len(held_out) - share * 2000) < 4 * (2000 * share * (1 - share)) ** 0.5


def test_only_the_text_decides():
    held_out = {document.text for document in held_out_documents(DOCUMENTS)}
    some = [Document(d.paragraphs, name="other") for d in reversed(DOCUMENTS[::3])]
    assert {d.text for d in held_out_documents(some)} == held_out & {d.text for d in some}
    assert [is_held_out(f"{number}") for number in range(60)].index(True) == 29
    assert not is_held_out("29", share=0.001)


def test_a_larger_share_keeps_what_was_held_out():
    smaller, larger = (
        {d.text for d in held_out_documents(DOCUMENTS, share=share)} for share in (0.05, 0.1)
    )
    assert smaller < larger


@pytest.mark.parametrize("share", [0.0, 1.0, -1.0])
def test_bad_shares_are_named(share):
    with pytest.raises(CorpusError, match="share="):
        is_held_out("x", share=share)
    with pytest.raises(CorpusError, match="share="):
        split_equations(TASKS["reversal"], train=1, test=1, seed=0, share=share)


@pytest.mark.parametrize("variable", [False, True])
@pytest.mark.parametrize("name", TASKS)
def test_equations_do_not_overlap(name, variable):
    task = TASKS[name]
    train, test = split_equations(task, train=300, test=100, seed=0, variable=variable)
    other, _ = split_equations(task, train=300, test=1, seed=1, variable=variable)
    prompts, tests = ({e.prompt for e in part} for part in (train, test))
    assert (len(prompts), len(tests)) == (300, 100)
    assert not tests & (prompts | {e.prompt for e in other})
    assert all(is_held_out(prompt, share=0.1) for prompt in tests)
    if not variable:
        assert len({len(prompt) for prompt in prompts | tests}) == 1


def test_a_larger_set_begins_with_the_smaller_one():
    task = TASKS["indexing"]
    small, large = (split_equations(task, train=n, test=n, seed=5) for n in (20, 50))
    assert large[0][:20] == small[0]
    assert large[1][:20] == small[1]
    assert split_equations(task, train=20, test=20, seed=6) != small


@pytest.mark.parametrize(
    ("counts", "why"),
    [
        ({"train": 90, "test": 5}, "train=90"),
        ({"train": 50, "test": 10}, "test=10"),
        ({"train": 0, "test": 1}, "train=0"),
        ({"train": 1, "test": 0}, "test=0"),
    ],
)
def test_too_many_equations_are_refused(counts, why):
    # There are 100 additions of one-digit numbers, of which about 10 are kept for tests.
    with pytest.raises(CorpusError, match=why):
        split_equations(TASKS["addition"], **counts, seed=0, digits=1)


def test_a_handful_of_equations_on_the_wrong_side_does_not_hang():
    # Of the ten orderings of one digit, the hash holds out none.
    assert not any(is_held_out(f"order({digit},{digit})=", share=0.15) for digit in range(10))
    with pytest.raises(CorpusError, match="test=1"):
        split_equations(TASKS["ordering"], train=1, test=1, seed=0, digits=1, share=0.15)
