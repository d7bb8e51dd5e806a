"""From a configuration to a model."""

from typing import overload

import torch

from posprobe.models.config import DecoderConfig, EncoderConfig
from posprobe.models.decoder import Decoder
from posprobe.models.encoder import Encoder


@overload
def build(
    cfg: EncoderConfig, *, seed: int = 0, mean: float = 0.0, std: float | None = None
) -> Encoder: ...
@overload
def build(
    cfg: DecoderConfig, *, seed: int = 0, mean: float = 0.0, std: float | None = None
) -> Decoder: ...
def build(
    cfg: EncoderConfig | DecoderConfig,
    *,
    seed: int = 0,
    mean: float = 0.0,
    std: float | None = None,
) -> Encoder | Decoder:
    """Build a model with random weights, leaving torch's own generator as it was.

    Args:
        cfg: The configuration.
        seed: Seed of the weights.
        mean: Mean of every weight matrix and embedding, if `std` is given.
        std: Their standard deviation. None: as the family is usually initialised.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Encoder(cfg) if isinstance(cfg, EncoderConfig) else Decoder(cfg)
        if std is not None:
            model.reset_parameters(mean=mean, std=std)
    return model
