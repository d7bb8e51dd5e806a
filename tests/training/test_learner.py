from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
import torch

from posprobe.data.equations import reversal
from posprobe.data.vocabulary import ascii_vocabulary
from posprobe.models.build import build
from posprobe.training.accelerator import make_accelerator
from posprobe.training.equation_table import EquationTable
from posprobe.training.learner import Learner
from posprobe.training.lesson import Lesson
from tests.training.tiny import TASK, TEXT


def learner(config):
    return Learner(build(config.model, seed=0), config, make_accelerator(config))


def equations(*rows):
    texts = ("12", "345", "6789", "01234567")
    table = EquationTable(
        [reversal(text) for text in texts], ascii_vocabulary(), name="reversal", causal=True
    )
    return table.lesson(np.array(rows))


def words():
    tokens = torch.randint(4, 300, (2, 24))
    at = torch.arange(0, 48, 5)
    return Lesson(tokens=tokens, mask=None, at=at, targets=tokens.flatten()[at], n_tokens=48)


def distance(before, model):
    pairs = zip(before, model.parameters(), strict=True)
    return max(float((p.detach() - q).abs().max()) for q, p in pairs)


def test_passes_of_unequal_length_count_by_their_targets():
    together, apart = learner(TASK), learner(TASK)
    one = together.learn([equations(0, 1, 2, 3)], step=0)
    two = apart.learn([equations(0, 1), equations(2, 3)], step=0)
    assert float(one.loss) == pytest.approx(float(two.loss), rel=1e-6)
    assert float(one.norm) == pytest.approx(float(two.norm), rel=1e-5)
    assert one.tokens == two.tokens == 11 + 13 + 15 + 23
    for p, q in zip(together.model.parameters(), apart.model.parameters(), strict=True):
        assert torch.allclose(p, q, atol=1e-5)


def test_the_first_step_moves_the_relative_bias_by_its_own_rate():
    # Adam's first step is the rate itself, whatever the gradient.
    student = learner(replace(TEXT, warmup=4, lr=1e-2, bias_lr_scale=3.0))
    step = student.learn([words()], step=0)
    assert step.lr == pytest.approx(0.25e-2)
    bias = student.model.blocks[0].attn.relative_bias.weight.detach().abs()
    assert float(bias.max()) == pytest.approx(0.75e-2, rel=1e-3)


@pytest.mark.parametrize(("clip", "moves"), [(0.0, True), (1e-14, False)])
def test_a_long_gradient_is_clipped(clip, moves):
    # Adam undoes every scale but one so small that its own eps outweighs the gradient.
    student = learner(replace(TEXT, clip=clip, weight_decay=0.0))
    before = [p.detach().clone() for p in student.model.parameters()]
    step = student.learn([words()], step=8)
    assert float(step.norm) > 0.1
    assert (distance(before, student.model) > 1e-5) is moves


def test_a_state_holds_all_that_a_step_needs():
    first, second = learner(TEXT), learner(TEXT)
    lessons = [[words()] for _ in range(3)]
    first.learn(lessons[0], step=0)
    second.load(deepcopy(first.state()))
    for step in (1, 2):
        losses = [float(x.learn(lessons[step], step=step).loss) for x in (first, second)]
        assert losses[0] == losses[1]


def test_a_request_to_stop_is_passed_on():
    assert learner(TEXT).learn([words()], step=0, stop=True).stopping
    assert not learner(TEXT).learn([words()], step=0).stopping
