import math

import pytest
import torch
from transformers.models.t5.modeling_t5 import T5Attention

from posprobe.models.positions import (
    border,
    by_offset,
    relative_buckets,
    rotate,
    sinusoids,
    token_positions,
    turns,
)


def test_buckets_are_those_of_t5():
    offset = torch.arange(-300, 301)
    theirs = T5Attention._relative_position_bucket(
        offset, bidirectional=True, num_buckets=32, max_distance=128
    )
    assert torch.equal(relative_buckets(offset), theirs)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_values_by_offset_are_those_of_each_pair(n):
    values = torch.randn(3, 2 * n - 1, dtype=torch.float64, requires_grad=True)
    column = torch.arange(n)
    looked_up = values[:, column[None, :] - column[:, None] + n - 1]
    assert torch.equal(by_offset(values), looked_up)
    weights = torch.randn(3, n, n, dtype=torch.float64)
    (expected,) = torch.autograd.grad((looked_up * weights).sum(), values)
    (found,) = torch.autograd.grad((by_offset(values) * weights).sum(), values)
    torch.testing.assert_close(found, expected)


def test_rotation_depends_on_distance_only():
    q, k = torch.randn(2, 1, 1, 1, 8)
    dots = [
        (
            rotate(q, turns(torch.tensor([[a]]), 8)) * rotate(k, turns(torch.tensor([[a + 5]]), 8))
        ).sum()
        for a in (0, 3, 40)
    ]
    assert torch.allclose(dots[0], dots[1], atol=1e-5)
    assert torch.allclose(dots[0], dots[2], atol=1e-5)


def test_rotation_is_complex_multiplication_of_neighbours():
    x = torch.randn(1, 3, 2, 6)
    turned = rotate(x, turns(torch.tensor([[0, 1, 7]]), 6))
    pairs = torch.view_as_complex(x.double().unflatten(-1, (3, 2)))
    for index, position in enumerate((0, 1, 7)):
        angles = torch.tensor([position / 10000 ** (2 * j / 6) for j in range(3)]).double()
        expected = pairs[0, index] * torch.polar(torch.ones(3).double(), angles)
        actual = torch.view_as_complex(turned[0, index].double().unflatten(-1, (3, 2)))
        assert torch.allclose(actual, expected, atol=1e-5)


@pytest.mark.parametrize(("position", "column"), [(0, 0), (3, 1), (7, 4)])
def test_sinusoids(position, column):
    rate = 10000 ** -(2 * (column // 2) / 8)
    expected = (math.cos if column % 2 else math.sin)(position * rate)
    assert sinusoids(10, 8)[position, column].item() == pytest.approx(expected, abs=1e-6)


def test_positions_and_borders_ignore_padding():
    mask = torch.tensor([[0, 0, 1, 1, 1], [1, 1, 1, 0, 0]]).bool()
    assert token_positions(mask)[mask].tolist() == [0, 1, 2, 0, 1, 2]
    assert border(mask).int().tolist() == [[0, 0, 1, 0, 1], [1, 0, 1, 0, 0]]
