from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from posprobe.data.token_set import TokenSet
from posprobe.data.vocabulary import ascii_vocabulary
from posprobe.models.build import build
from posprobe.training.data_config import TaskData
from posprobe.training.lessons import Lessons
from posprobe.training.masked_documents import MaskedDocuments
from posprobe.training.masking import Masking
from posprobe.training.opening import open_lessons
from tests.training.tiny import TASK, TEXT

SPECIAL, MASK = (0, 1, 2, 3), 3


def words():
    """Forty tokens, the first four of which are no text."""
    tokenizer = ascii_vocabulary()
    tokenizer.size, tokenizer.pad_id, tokenizer.special_ids = 40, 0, SPECIAL
    return tokenizer


def documents(lengths):
    rng = np.random.default_rng(0)
    ids = np.concatenate([np.r_[1, rng.integers(4, 40, n - 2), 2] for n in lengths])
    tokens = TokenSet(
        name="text",
        ids=ids,
        lengths=np.array(lengths),
        documents=np.arange(len(lengths)),
        special_ids=SPECIAL,
    )
    masking = Masking(
        rate=0.3, as_mask=1.0, as_random=0.0, mask_id=MASK, random_ids=np.arange(4, 40), seed=0
    )
    return MaskedDocuments(tokens, words(), masking)


def test_hidden_tokens_come_back_where_they_stood():
    masked = documents([8, 12, 5])
    part = masked.lesson(np.array([2, 1]), np.array([0, 3]))
    restored = part.tokens.flatten().clone()
    assert (restored[part.at] == MASK).all()
    restored[part.at] = part.targets
    restored = restored.view(part.tokens.shape)
    for row, document in enumerate((2, 1)):
        length = int(part.mask[row].sum())
        assert restored[row, :length].tolist() == masked.documents[document].tolist()
        assert (restored[row, length:] == 0).all()
    assert part.n_tokens == 17


def test_special_tokens_are_never_hidden():
    masked = documents([30] * 50)
    targets = masked.lesson(np.arange(50), np.zeros(50, dtype=int)).targets
    assert len(targets) > 300
    assert (targets >= 4).all()


def test_there_is_no_mask_where_nothing_is_padding():
    assert documents([9, 9]).lesson(np.array([0, 1]), np.array([0, 0])).mask is None


@pytest.fixture(scope="module")
def text_lessons(tmp_path_factory):
    return open_lessons(TEXT, cache=tmp_path_factory.mktemp("cache") / "corpus")


def test_both_kinds_are_lessons(text_lessons, tmp_path):
    task_lessons = open_lessons(TASK, cache=tmp_path)
    assert isinstance(text_lessons, Lessons)
    assert isinstance(task_lessons, Lessons)
    assert text_lessons.longest == 24
    assert len(task_lessons) == 50


def test_the_answers_alone_are_learned_if_so_wished(tmp_path):
    assert isinstance(TASK.data, TaskData)
    rows = np.array([0, 1])
    whole, answers = (
        open_lessons(replace(TASK, data=replace(TASK.data, answers_only=only)), cache=tmp_path)
        for only in (False, True)
    )
    lines, ends = (lessons.lesson(rows, rows * 0) for lessons in (whole, answers))
    assert torch.equal(lines.tokens, ends.tokens)
    assert set(ends.at.tolist()) < set(lines.at.tolist())
    newline, equals = whole.tokenizer.encode("\n=")
    assert ends.targets.tolist().count(newline) == 2
    assert equals in lines.targets.tolist()
    assert equals not in ends.targets.tolist()


def test_evaluation_is_the_mean_over_hidden_tokens_and_always_the_same(text_lessons):
    model = build(TEXT.model, seed=1)
    cpu = torch.device("cpu")
    found = text_lessons.evaluate(model, cpu)
    assert text_lessons.evaluate(model, cpu) == found
    rows = np.arange(len(text_lessons._held_out))
    part = text_lessons._held_out.lesson(rows, np.full(len(rows), -1))
    logits = model(part.tokens).detach().flatten(0, 1)[part.at].double()
    assert found["loss"] == pytest.approx(float(cross_entropy(logits, part.targets)), rel=1e-6)
    right = (logits.argmax(-1) == part.targets).double().mean()
    assert found["accuracy"] == pytest.approx(float(right))


def test_head_at_some_places_only_is_the_head_at_all_of_them():
    at = torch.tensor([3, 0, 47])
    for config in (TEXT, TASK):
        model = build(config.model, seed=2)
        tokens = torch.randint(4, 90, (2, 24))
        assert torch.allclose(model(tokens, at=at), model(tokens).flatten(0, 1)[at], atol=1e-6)
