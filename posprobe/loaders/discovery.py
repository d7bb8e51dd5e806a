"""Finding the few sites that any transformer has, where no table knows the architecture."""

from typing import Any

from torch import nn

from posprobe.core.errors import CheckpointError
from posprobe.loaders.huggingface_tables import Tap


def discover(network: Any) -> dict[str, Tap]:
    """Find the token embedding and the stack of blocks of a transformers model.

    Raises:
        CheckpointError: If there is no stack of as many blocks as the configuration says.
    """
    base, depth = network.base_model, network.config.num_hidden_layers
    names = {id(module): name for name, module in base.named_modules()}
    stacks = [
        name
        for name, module in base.named_modules()
        if isinstance(module, nn.ModuleList) and len(module) == depth
    ]
    embedding = names.get(id(network.get_input_embeddings()))
    if not stacks or embedding is None:
        raise CheckpointError(
            f"{type(network).__name__}: no stack of {depth} blocks found in it, so it has no "
            "sites that posprobe could read."
        )
    block = stacks[0] + ".{i}"
    return {
        "hook_embed": Tap(embedding),
        "blocks.{i}.hook_resid_pre": Tap(block, "in"),
        "blocks.{i}.hook_resid_post": Tap(block),
    }
