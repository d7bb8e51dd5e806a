"""The weights a training begins with."""

from dataclasses import replace

import torch
from torch import nn

from posprobe.core.errors import UserError
from posprobe.data.tokenizer import Tokenizer
from posprobe.models.build import build
from posprobe.models.config import EncoderConfig
from posprobe.models.decoder import Decoder
from posprobe.models.encoder import Encoder
from posprobe.training.config import TrainConfig


def first_weights(config: TrainConfig, tokenizer: Tokenizer) -> Encoder | Decoder:
    """Build the model with the weights that the config's seed and initialisation give.

    Which tokens are special is the tokenizer's to say, whatever the config says.

    Raises:
        UserError: If the tokenizer has more ids than the model.
    """
    if tokenizer.size > config.model.d_vocab:
        raise UserError(
            f"model.d_vocab={config.model.d_vocab} is less than the {tokenizer.size} ids of the "
            f"tokenizer; --set model.d_vocab={tokenizer.size}"
        )
    cfg = config.model
    if isinstance(cfg, EncoderConfig):
        pad = 0 if tokenizer.pad_id is None else tokenizer.pad_id
        cfg = replace(cfg, pad_id=pad, special_ids=tokenizer.special_ids)
    model = build(cfg, seed=config.seed)
    model.tokenizer = tokenizer
    if config.init != "authors":
        _draw_by_inputs(model, config.seed, even=config.init == "even")
    return model


def _draw_by_inputs(model: Encoder | Decoder, seed: int, *, even: bool) -> None:
    """Draw the matrices inside the blocks with variance 1 / inputs.

    Tables and head keep their small first weights: a large random position table would stay
    what it was drawn as, since norms hide its length and a step of Adam has a fixed one.

    Args:
        model: What is drawn.
        seed: Seed of the draw.
        even: Whether queries and keys keep their small weights, so that attention begins evenly
            spread over all keys, and not as a random pattern of tokens and positions.
    """
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in model.named_parameters():
        if parameter.ndim > 1 and name.startswith("blocks.") and "relative_bias" not in name:
            spared = 2 * model.cfg.d_model if even and ".qkv." in name else 0
            nn.init.normal_(parameter[spared:], std=parameter.shape[1] ** -0.5, generator=generator)
