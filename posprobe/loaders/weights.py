"""Reading weight files, and putting weights into a module without leaving a gap."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from safetensors import SafetensorError, safe_open
from torch import Tensor, equal, nn

from posprobe.core.errors import CheckpointError
from posprobe.loaders.pickles import load_torch
from posprobe.loaders.weight_files import BIN, SAFETENSORS, check_held, few, weight_files


def read_weights(
    folder: Path, *, trust_pickle: bool = False
) -> tuple[dict[str, Tensor], tuple[Path, ...]]:
    """Read the weights of a checkpoint folder, and say which files they were in.

    Safetensors are preferred to pickles. Where there is an index, it decides which
    files count; others lying about are left alone.

    Raises:
        CheckpointError: If there are no weights, or a file or tensor is missing or damaged.
    """
    for name in (SAFETENSORS, BIN):
        shards = weight_files(folder, name)
        if shards:
            state = {}
            for path, names in shards.items():
                state |= _read_file(path, names, trust_pickle=trust_pickle)
            return state, tuple(shards)
    raise CheckpointError(f"{folder}: no weights; expected {SAFETENSORS} or {BIN}.")


def read_safetensors(path: Path) -> dict[str, Tensor]:
    """Read one safetensors file, or all of a folder's shards that its index names.

    Raises:
        CheckpointError: If a file or a tensor is missing or damaged.
    """
    if not path.is_dir():
        return _read_file(path, None)
    shards = weight_files(path, SAFETENSORS)
    if not shards:
        raise CheckpointError(f"{path}: no {SAFETENSORS}.")
    state = {}
    for shard, names in shards.items():
        state |= _read_file(shard, names)
    return state


def read_bin(path: Path, *, trust_pickle: bool = False) -> dict[str, Tensor]:
    """Read a pickled state dict, such as `pytorch_model.bin`, without running anything in it.

    Raises:
        CheckpointError: If the file is missing, damaged, or holds more than tensors.
    """
    state = load_torch(path, trust_pickle=trust_pickle)
    if not isinstance(state, Mapping):
        raise CheckpointError(f"{path}: holds a {type(state).__name__}, not named tensors.")
    strangers = [str(name) for name, value in state.items() if not isinstance(value, Tensor)]
    if strangers:
        raise CheckpointError(f"{path}: not only tensors: {few(strangers)}.")
    return dict(state)


def strip_prefixes(
    state: Mapping[str, Tensor], prefixes: Sequence[str] = ("_orig_mod.", "module.")
) -> dict[str, Tensor]:
    """Take wrappers' prefixes off the names, however they are nested.

    >>> import torch
    >>> list(strip_prefixes({"module._orig_mod.module.w": torch.ones(1)}))
    ['w']

    Raises:
        CheckpointError: If two tensors end up with the same name.
    """
    stripped: dict[str, Tensor] = {}
    for name, value in state.items():
        short = _strip(name, tuple(prefixes))
        if short in stripped:
            raise CheckpointError(f"Two tensors are called {short} once {few(prefixes)} is off.")
        stripped[short] = value
    return stripped


def fit(
    module: nn.Module,
    state: Mapping[str, Tensor],
    *,
    where: str,
    tied: Mapping[str, str] | None = None,
    ignore: Sequence[str] = (),
) -> None:
    """Put weights into a module: every one of them, and nothing else.

    Args:
        module: The module; unchanged if the weights do not fit.
        state: The weights by name.
        where: The file or folder, for the message.
        tied: Tensors that may be absent because they equal another, by that other's name.
        ignore: Patterns (`*` for anything) of tensors that are no weights, such as masks.

    Raises:
        CheckpointError: If a tensor is missing, unknown, misshapen or not tied as promised;
            the message lists them.
    """
    given = {
        name: value
        for name, value in state.items()
        if not any(fnmatchcase(name, pattern) for pattern in ignore)
    }
    wanted = module.state_dict(keep_vars=True)
    for name, source in (tied or {}).items():
        if name not in given and source in given:
            given[name] = given[source]
    faults = _faults(given, wanted, tied or {})
    if faults:
        raise CheckpointError(f"{where}: the weights do not fit the model: {'; '.join(faults)}.")
    module.load_state_dict(given)


def _read_file(
    path: Path, names: list[str] | None, *, trust_pickle: bool = False
) -> dict[str, Tensor]:
    """Read the tensors called `names`, or all, from one file."""
    if path.suffix != ".safetensors":
        state = read_bin(path, trust_pickle=trust_pickle)
        check_held(path, names, state)
        return state if names is None else {name: state[name] for name in names}
    try:
        with safe_open(path, framework="pt") as file:
            check_held(path, names, file.keys())
            return {name: file.get_tensor(name) for name in names or file.keys()}
    except FileNotFoundError as error:
        raise CheckpointError(f"{path}: no such file.") from error
    except (SafetensorError, OSError, ValueError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(f"{path}: damaged, or not safetensors ({error}).") from error


def _faults(
    given: Mapping[str, Tensor], wanted: Mapping[str, Tensor], tied: Mapping[str, str]
) -> list[str]:
    missing = [name for name in wanted if name not in given]
    extra = [name for name in given if name not in wanted]
    misshapen = [
        f"{name} (file {_form(given[name])}, model {_form(wanted[name])})"
        for name in wanted
        if name in given and _form(given[name]) != _form(wanted[name])
    ]
    untied = (
        [
            f"{name} and {source}"
            for name, source in tied.items()
            if wanted.get(name) is not None
            and wanted.get(name) is wanted.get(source)
            and not equal(given[name], given[source])
        ]
        if not missing
        else []
    )
    listed = {
        "missing": missing,
        "not known": extra,
        "of another shape or kind": misshapen,
        "tied but different": untied,
    }
    return [f"{len(names)} {what}: {few(names)}" for what, names in listed.items() if names]


def _form(tensor: Tensor) -> str:
    shape = "×".join(map(str, tensor.shape)) or "scalar"
    # Whole numbers where the model has real ones would be a quantised file, scales elsewhere.
    return shape if tensor.is_floating_point() else f"{shape} {str(tensor.dtype)[6:]}"


def _strip(name: str, prefixes: tuple[str, ...]) -> str:
    while name.startswith(prefixes):
        name = next(name.removeprefix(prefix) for prefix in prefixes if name.startswith(prefix))
    return name
