"""A position table as a file holds it, read alone and without torch, which takes seconds."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from safetensors import SafetensorError, safe_open

from posprobe.core.errors import CheckpointError
from posprobe.loaders.weight_files import SAFETENSORS, check_held, weight_files

_OF_NUMPY = ("F16", "F32", "F64")
"""Types that NumPy knows; torch reads the others."""


def read_stored_table(
    folder: Path, names: Sequence[str]
) -> Float[np.ndarray, "row d_model"] | None:
    """Read the first tensor in `names` that a checkpoint folder holds, or None, in float64.

    With safetensors, nothing else is read.

    Raises:
        CheckpointError: If a file that the index names is missing or damaged.
    """
    shards = weight_files(folder, SAFETENSORS)
    if not shards:
        return _read_pickled(folder, names)
    held = {
        name: path
        for path, listed in shards.items()
        for name in (_names_in(path) if listed is None else listed)
    }
    found = next((name for name in names if name in held), None)
    return None if found is None else _read(held[found], found)


def require_rows(table: Float[np.ndarray, "row d_model"], rows: int, path: Path) -> None:
    """Refuse a position table that does not have as many rows as the configuration says.

    Raises:
        CheckpointError: With both numbers.
    """
    if len(table) != rows:
        raise CheckpointError(
            f"{path}: the position table has {len(table)} rows, the configuration says {rows}."
        )


def _read(path: Path, name: str) -> Float[np.ndarray, "row d_model"]:
    try:
        with safe_open(path, framework="np") as file:
            check_held(path, [name], file.keys())
            if file.get_slice(name).get_dtype() in _OF_NUMPY:
                return file.get_tensor(name).astype(np.float64)
        with safe_open(path, framework="pt") as file:
            return _from_torch(file.get_tensor(name))
    except (SafetensorError, OSError) as error:
        raise _damaged(path, error) from error


def _read_pickled(folder: Path, names: Sequence[str]) -> Float[np.ndarray, "row d_model"] | None:
    from posprobe.loaders.weights import read_weights

    state = read_weights(folder)[0]
    found = next((state[name] for name in names if name in state), None)
    return None if found is None else _from_torch(found)


def _from_torch(tensor: Any) -> Float[np.ndarray, "row d_model"]:
    return tensor.double().numpy()


def _names_in(path: Path) -> list[str]:
    try:
        with safe_open(path, framework="np") as file:
            return list(file.keys())
    except (SafetensorError, OSError) as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> CheckpointError:
    return CheckpointError(f"{path}: damaged, or not safetensors ({error}).")
