from collections.abc import Callable

import pytest
import torch
from torch import nn

from posprobe.models.build import build
from posprobe.models.config import EncoderConfig
from posprobe.models.encoder import Encoder


def _widen(model: nn.Module) -> None:
    """Make every weight matter, so that a layout mistake moves the outputs by a lot."""
    for parameter in model.parameters():
        if parameter.ndim > 1:
            nn.init.normal_(parameter, std=0.3)
        else:
            nn.init.uniform_(parameter, 0.4, 1.6)


@pytest.fixture
def widen() -> Callable[[nn.Module], None]:
    return _widen


@pytest.fixture
def small_encoder() -> Callable[..., Encoder]:
    """Build a small encoder with wide random weights."""

    def make(**settings) -> Encoder:
        sizes = {"n_layers": 2, "n_heads": 3, "d_model": 36, "d_pos": 12, "d_mlp": 40}
        sizes |= {"n_ctx": 24, "d_vocab": 40}
        model = build(EncoderConfig(**(sizes | settings)))
        torch.manual_seed(3)
        _widen(model)
        return model

    return make
