"""Reading pickled files that strangers wrote, without running what is in them."""

import io
import pickle
import pickletools
import re
import warnings
import zipfile
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import torch
from numpy._core.multiarray import _reconstruct, scalar  # pyright: ignore[reportAttributeAccessIssue]

from posprobe.core.errors import CheckpointError

_NUMBERS = "?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"

# What rebuilds a NumPy number or array, under the names that NumPy 1 and 2 pickle it by.
# The dtype classes are those of plain numbers: object arrays stay refused.
_NUMPY_GLOBALS = [
    np.ndarray,
    np.dtype,
    *(type(np.dtype(code)) for code in _NUMBERS),
    *(
        (function, f"{module}.multiarray.{function.__name__}")
        for module in ("numpy.core", "numpy._core")
        for function in (_reconstruct, scalar)
    ),
]
# The names in ordinary weight files; only the message of a refusal needs them.
_ORDINARY = re.compile(
    r"torch\.(\w*Storage|_utils\._rebuild_\w+|Size|device|float\w*|bfloat16|u?int\w+|bool)"
    r"|collections\.OrderedDict|_codecs\.encode"
    r"|numpy\.(ndarray|dtype|dtypes\.\w+|_?core\.multiarray\.(_reconstruct|scalar))"
)


def load_torch(path: Path, *, trust_pickle: bool = False) -> Any:
    """Read what `torch.save` wrote: tensors, plain values and NumPy numbers, nothing else.

    Args:
        path: The file.
        trust_pickle: Whether code inside the file may run where the file needs it.
            Files that hold only weights are read without running any either way.

    Raises:
        CheckpointError: If the file is missing or damaged, or needs anything else.
    """
    if not path.is_file():
        raise CheckpointError(f"{path}: no such file.")
    try:
        return _load_weights_only(path)
    except Exception as error:
        # Bytes that are no checkpoint can raise nearly anything inside the reader.
        if trust_pickle:
            return _load_anything(path)
        _refuse(path, error)


def load_meta(path: Path) -> dict[str, Any]:
    """Read a nanoGPT vocabulary: `vocab_size`, `itos` (id to text) and `stoi` (text to id).

    The file is a pickle; only numbers, strings and containers are let through.

    Raises:
        CheckpointError: If the file is missing, damaged, or holds anything else.
    """
    if not path.is_file():
        raise CheckpointError(f"{path}: no such file.")
    try:
        with path.open("rb") as stream:
            meta = _PlainUnpickler(stream).load()
    except Exception as error:
        raise CheckpointError(
            f"{path}: not a nanoGPT vocabulary ({_first_line(error)})."
        ) from error
    if not _is_vocabulary(meta):
        raise CheckpointError(
            f"{path}: not a nanoGPT vocabulary; it must hold `itos` (numbers to strings) "
            "and `stoi`, each the reverse of the other."
        )
    return {"vocab_size": len(meta["itos"])} | {
        key: meta[key] for key in ("vocab_size", "itos", "stoi") if key in meta
    }


class _PlainUnpickler(pickle.Unpickler):
    """An unpickler that knows no names, so that nothing can be called."""

    def find_class(self, module_name: str, global_name: str, /) -> NoReturn:
        raise pickle.UnpicklingError(f"it names {module_name}.{global_name}, which is not data")


def _is_vocabulary(meta: Any) -> bool:
    # Only the parts that are used are looked at: a pickle may hold itself.
    if not isinstance(meta, dict):
        return False
    itos, stoi = meta.get("itos"), meta.get("stoi")
    return (
        isinstance(itos, dict)
        and isinstance(stoi, dict)
        and all(type(key) is int and type(value) is str for key, value in itos.items())
        and stoi == {text: number for number, text in itos.items()}
        and isinstance(meta.get("vocab_size", 0), int)
    )


def _load_weights_only(path: Path) -> Any:
    with torch.serialization.safe_globals(_NUMPY_GLOBALS), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.load(path, map_location="cpu", weights_only=True)


def _load_anything(path: Path) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return torch.load(path, map_location="cpu", weights_only=False)
    except Exception as error:
        raise CheckpointError(f"{path}: cannot be unpickled ({_first_line(error)}).") from error


def _refuse(path: Path, error: Exception) -> NoReturn:
    names = [ascii(name)[1:-1] for name in _global_names(path) if not _ORDINARY.fullmatch(name)]
    if names:
        named = ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
        raise CheckpointError(
            f"{path}: holds more than weights: unpickling it would call {named}. "
            "It was not run; if you trust its author, --trust-pickle allows it."
        ) from error
    if isinstance(error, pickle.UnpicklingError):
        raise CheckpointError(
            f"{path}: damaged, not a PyTorch checkpoint, or pickled in a way that may run code; "
            "if you trust its author, --trust-pickle tries that."
        ) from error
    raise CheckpointError(f"{path}: damaged, or not a PyTorch checkpoint.") from error


def _global_names(path: Path) -> list[str]:
    """List the names that a pickle calls on, in order, each once; runs nothing."""
    names: dict[str, None] = {}
    strings: list[str] = []
    try:
        stream = io.BytesIO(_pickle_bytes(path))
        while True:  # Before zip files, a checkpoint was several pickles in a row.
            for opcode, argument, _ in pickletools.genops(stream):
                if opcode.name in ("GLOBAL", "INST"):
                    names[str(argument).replace(" ", ".")] = None
                elif opcode.name == "STACK_GLOBAL":
                    names[".".join(strings[-2:])] = None
                elif isinstance(argument, str):
                    strings.append(argument)
    except Exception:  # The end, or a file cut short: what was read until there counts.
        return list(names)


def _pickle_bytes(path: Path) -> bytes:
    if not zipfile.is_zipfile(path):
        return path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        members = [name for name in archive.namelist() if name.endswith("data.pkl")]
        return archive.read(members[0]) if members else b""


def _first_line(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:120].rstrip(" .")
