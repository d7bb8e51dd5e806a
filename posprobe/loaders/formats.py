"""Which format a checkpoint is in, and what opens it."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from posprobe.core.errors import CheckpointError
from posprobe.core.options import LoadOptions
from posprobe.loaders.native_config import is_native
from posprobe.loaders.weight_files import read_json
from posprobe.models.position_table import PositionTable

TORCH_FILES = (".pt", ".pth", ".ckpt")


@dataclass(frozen=True, kw_only=True)
class Format:
    """One checkpoint format, by the names of the functions that read it.

    Names, because each loader imports what it needs when it is needed: torch, transformer_lens
    and transformers take seconds, and a position table can be read without any of them.

    Attributes:
        load: `module:function` that opens a checkpoint.
        read_table: `module:function` that reads the position table alone; None where that
            saves nothing.
        read_history: `module:function` that reads how the weights came to be; None where the
            format does not say.
    """

    load: str
    read_table: str | None = None
    read_history: str | None = None

    def open(self, path: Path, options: LoadOptions) -> Any:
        """Open a checkpoint of this format: a `Model`, whose name alone would need torch here."""
        return _function(self.load)(path, options)

    def table(self, path: Path) -> PositionTable | None:
        """Read the position table alone; None where there is none."""
        assert self.read_table is not None
        return _function(self.read_table)(path)

    def history(self, path: Path) -> dict[str, Any]:
        """Read how the weights came to be; empty where that is not known."""
        return _function(self.read_history)(path) if self.read_history else {}


FORMATS = {
    "native": Format(
        load="native:load_native",
        read_table="native_config:read_native_table",
        read_history="native_config:read_provenance",
    ),
    "neobert": Format(load="neobert:load_neobert", read_table="neobert_config:read_neobert_table"),
    "huggingface": Format(
        load="huggingface:load_huggingface",
        read_table="huggingface_positions:read_huggingface_table",
    ),
    "nanogpt": Format(load="nanogpt:load_nanogpt"),
}


def find_format(path: Path) -> tuple[str, Path]:
    """Tell a checkpoint's format, and the file or folder that its loader wants.

    Raises:
        CheckpointError: If there is nothing that any loader knows.
    """
    if path.is_file():
        if path.suffix in TORCH_FILES:
            return "nanogpt", path
        if path.name in ("config.json", "model.safetensors"):
            return find_format(path.parent)
        raise CheckpointError(f"{path}: not a checkpoint; give its folder, or a .pt file")
    config = path / "config.json"
    if config.is_file():
        values = read_json(config)
        if is_native(values):
            return "native", path
        return ("neobert" if values.get("model_type") == "neobert" else "huggingface"), path
    files = sorted(file for file in path.iterdir() if file.suffix in TORCH_FILES)
    if len(files) == 1:
        return "nanogpt", files[0]
    if files:
        names = ", ".join(file.name for file in files[:5])
        raise CheckpointError(f"{path}: several checkpoints ({names}); name one of them")
    raise CheckpointError(
        f"{path}: no checkpoint here; expected config.json with weights, or a .pt"
    )


def _function(name: str) -> Callable[..., Any]:
    module, function = name.split(":")
    return getattr(import_module(f"posprobe.loaders.{module}"), function)
