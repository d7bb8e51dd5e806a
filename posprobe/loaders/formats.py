"""Which format a checkpoint is in, and what opens it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from posprobe.core.errors import CheckpointError
from posprobe.core.options import LoadOptions
from posprobe.loaders.weights import read_json
from posprobe.models.protocol import Model, PositionTable

TORCH_FILES = (".pt", ".pth", ".ckpt")


@dataclass(frozen=True, kw_only=True)
class Format:
    """One checkpoint format.

    Attributes:
        name: As reports call it.
        load: Opens a checkpoint.
        read_table: Reads the position table alone, without building a model; None where
            that saves nothing.
    """

    name: str
    load: Callable[[Path, LoadOptions], Model]
    read_table: Callable[[Path], PositionTable | None] | None = None


def _native() -> Format:
    from posprobe.loaders.native import load_native, read_native_table

    return Format(name="native", load=load_native, read_table=read_native_table)


def _neobert() -> Format:
    from posprobe.loaders.neobert import load_neobert, read_neobert_table

    return Format(name="neobert", load=load_neobert, read_table=read_neobert_table)


def _huggingface() -> Format:
    from posprobe.loaders.huggingface import load_huggingface, read_position_table

    return Format(name="huggingface", load=load_huggingface, read_table=read_position_table)


def _nanogpt() -> Format:
    from posprobe.loaders.nanogpt import load_nanogpt

    return Format(name="nanogpt", load=load_nanogpt)


# Each loader imports what it needs, and only it: transformers alone takes seconds.
FORMATS = {
    "native": _native,
    "neobert": _neobert,
    "huggingface": _huggingface,
    "nanogpt": _nanogpt,
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
        raise CheckpointError(f"{path}: not a checkpoint; give its folder, or a {TORCH_FILES} file")
    config = path / "config.json"
    if config.is_file():
        values = read_json(config)
        if values.get("format") == "posprobe":
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
