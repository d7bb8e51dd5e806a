import numpy as np
import torch
from scipy.spatial.distance import jensenshannon

from posprobe.analysis.head_pattern import attention_pattern, divergence


def test_softmax_over_the_counted_keys():
    logits = torch.randn(2, 3, 4, 5, dtype=torch.float64)
    counted = torch.rand(2, 4, 5) < 0.6
    counted[0, 1] = False
    pattern = attention_pattern(logits, counted)
    weight = logits.exp() * counted[:, None]
    expected = weight / weight.sum(-1, keepdim=True).clamp(min=1e-300)
    torch.testing.assert_close(pattern, expected)
    assert (pattern[0, :, 1] == 0).all()


def test_hidden_logits_may_be_anything():
    logits = torch.tensor([[[[0.0, -torch.inf, torch.inf]]]])
    counted = torch.tensor([[[True, False, False]]])
    assert attention_pattern(logits, counted).tolist() == [[[[1.0, 0.0, 0.0]]]]


def test_divergence_agrees_with_scipy():
    one, other = torch.randn(2, 2, 3, 4, 6, dtype=torch.float64).mul(3).softmax(-1)
    expected = jensenshannon(one.numpy(), other.numpy(), base=2, axis=-1) ** 2
    np.testing.assert_allclose(divergence(one, other), expected, atol=1e-12)


def test_tiny_divergences_keep_their_digits():
    one = torch.full((1, 1, 1, 4), 0.25, dtype=torch.float64)
    shift = 1e-6 * torch.tensor([1.0, -1.0, 1.0, -1.0], dtype=torch.float64)
    # To second order: Σ δ² / (8 p ln 2).
    expected = 4 * 1e-12 / (8 * 0.25 * np.log(2))
    np.testing.assert_allclose(divergence(one, one + shift).item(), expected, rtol=1e-3)
