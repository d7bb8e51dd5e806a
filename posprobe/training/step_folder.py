"""Checkpoints along the way."""

from pathlib import Path
from typing import Any

from safetensors.torch import save_file

from posprobe.core.files import atomic_folder, strict_json
from posprobe.loaders.native import save_native
from posprobe.loaders.native_config import CONFIG, FORMAT, PROVENANCE, VERSION
from posprobe.loaders.weights import SAFETENSORS
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
        name: tensor.contiguous()
        for name, tensor in model.state_dict().items()
        if tensor.ndim == 1 or name == "pos_embed.weight" or "relative_bias" in name
    }
    config = {"format": FORMAT, "format_version": VERSION, **model.cfg.to_dict()}
    with atomic_folder(folder) as temporary:
        save_file(state, temporary / SAFETENSORS)
        (temporary / CONFIG).write_text(strict_json(config), encoding="utf-8")
        (temporary / PROVENANCE).write_text(strict_json(provenance), encoding="utf-8")
