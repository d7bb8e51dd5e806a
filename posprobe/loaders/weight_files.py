"""Which files of a checkpoint hold which weights; needs no torch."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from posprobe.core.errors import CheckpointError

SAFETENSORS = "model.safetensors"
BIN = "pytorch_model.bin"
_INDEX = ".index.json"


def weight_files(folder: Path, name: str = SAFETENSORS) -> dict[Path, list[str] | None]:
    """List a folder's weight files, each with the tensors its index expects in it.

    Args:
        folder: The checkpoint.
        name: The file's name where there is only one; its index adds `.index.json`.

    Returns:
        Empty where there are none; None in place of the tensors where there is no index.

    Raises:
        CheckpointError: If the index is damaged or a file that it names is missing.
    """
    index = folder / (name + _INDEX)
    if not index.is_file():
        path = folder / name
        return {path: None} if path.is_file() else {}
    shards = _read_index(index)
    missing = [path.name for path in shards if not path.is_file()]
    if missing:
        raise CheckpointError(f"{index}: names files that are not there: {few(missing)}.")
    return {path: shards[path] for path in sorted(shards)}


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        CheckpointError: If the file is missing, no JSON, or not an object.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise CheckpointError(f"{path}: no such file.") from error
    except (OSError, ValueError, RecursionError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise CheckpointError(f"{path}: cannot be read as JSON ({reason}).") from error
    if not isinstance(value, dict):
        raise CheckpointError(f"{path}: must be a JSON object, is a {type(value).__name__}.")
    return value


def check_held(path: Path, names: Sequence[str] | None, held: Iterable[str]) -> None:
    """Refuse a file that lacks a tensor which the index puts there.

    Raises:
        CheckpointError: With the names.
    """
    absent = sorted(set(names or ()) - set(held))
    if absent:
        raise CheckpointError(f"{path}: lacks tensors that the index puts there: {few(absent)}.")


def few(names: Sequence[str], limit: int = 5) -> str:
    """List some names, and say how many more there are."""
    shown = ", ".join(names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def _read_index(index: Path) -> dict[Path, list[str]]:
    weight_map = read_json(index).get("weight_map")
    if not isinstance(weight_map, dict) or not weight_map:
        raise CheckpointError(f"{index}: has no weight_map.")
    shards: dict[Path, list[str]] = {}
    for tensor, file in weight_map.items():
        # A shard lies beside its index: a path that leads elsewhere is no checkpoint's business.
        if not isinstance(file, str) or Path(file).name != file:
            raise CheckpointError(f"{index}: {tensor} is said to be in {file!r}, not a file name.")
        shards.setdefault(index.parent / file, []).append(tensor)
    return shards
