"""Small checkpoints of every family, made on the spot."""

from pathlib import Path

import torch
from torch import nn

from posprobe import save
from posprobe.data.vocabulary import ascii_vocabulary
from posprobe.models.build import build
from posprobe.models.config import DecoderConfig, EncoderConfig

ENCODER = {"n_layers": 2, "n_heads": 2, "d_model": 24, "d_pos": 8, "d_mlp": 24, "n_ctx": 32}
DECODER = {"n_layers": 2, "n_heads": 2, "d_model": 16, "n_ctx": 64}


def save_encoder(folder: Path, *, vocabulary: bool = True, **settings) -> Path:
    """Save an encoder with wide random weights over the 96 ASCII characters."""
    model = build(EncoderConfig(**(ENCODER | {"d_vocab": 97, "pad_id": 96} | settings)))
    torch.manual_seed(0)
    for parameter in model.parameters():
        if parameter.ndim > 1:
            nn.init.normal_(parameter, std=0.3)
    model.tokenizer = ascii_vocabulary() if vocabulary else None
    return save(model, folder)


def save_decoder(folder: Path, *, vocabulary: bool = True, **settings) -> Path:
    """Save a nanoGPT over the 96 ASCII characters."""
    model = build(DecoderConfig(**(DECODER | settings)), seed=1)
    model.tokenizer = ascii_vocabulary() if vocabulary else None
    return save(model, folder)
