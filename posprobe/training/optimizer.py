"""AdamW with the groups a training needs."""

import torch
from torch import nn

from posprobe.training.config import TrainConfig

_BIAS = "relative_bias"


def make_optimizer(model: nn.Module, config: TrainConfig) -> torch.optim.AdamW:
    """Group the weights: matrices decay, norms and biases do not, the relative bias is faster.

    Each group keeps its share of the learning rate under `scale`.
    """
    named = list(model.named_parameters())
    matrices = [p for name, p in named if p.ndim > 1 and _BIAS not in name]
    vectors = [p for name, p in named if p.ndim < 2 and _BIAS not in name]
    relative = [p for name, p in named if _BIAS in name]
    groups = [
        {"params": matrices, "weight_decay": config.weight_decay, "scale": 1.0},
        {"params": vectors, "weight_decay": 0.0, "scale": 1.0},
        {"params": relative, "weight_decay": 0.0, "scale": config.bias_lr_scale},
    ]
    return torch.optim.AdamW(
        [group for group in groups if group["params"]],
        lr=config.lr,
        betas=(config.beta1, config.beta2),
        fused=True,
    )
