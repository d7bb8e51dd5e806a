"""Checkpoints along the way."""

from pathlib import Path
from typing import Any

from posprobe.core.files import atomic_folder
from posprobe.loaders.native import save_native, write_native
from posprobe.models.decoder import Decoder
from posprobe.models.encoder import Encoder


def save_step(
    model: Encoder | Decoder, folder: Path, provenance: dict[str, Any], *, small: bool
) -> None:
    """Write the model as it is now, or only its small tensors.

    Args:
        model: The model.
        folder: Where to write.
        provenance: How far training was.
        small: Whether to keep the position table, the relative bias, norms and biases only:
            enough to see how the manifold forms, and a hundredth of the size.
    """
    if not small:
        save_native(model, folder, provenance=provenance)
        return
    state = {
        name: tensor
        for name, tensor in model.state_dict().items()
        if tensor.ndim == 1 or name == "pos_embed.weight" or "relative_bias" in name
    }
    with atomic_folder(folder) as temporary:
        write_native(temporary, state, model.cfg, provenance)
