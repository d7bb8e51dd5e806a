"""Making a transformers model of a configuration and weights that were read here."""

import inspect
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from posprobe.core.errors import CheckpointError

# Tensors of files that no site depends on: masks and positions that older versions stored,
# and the second head of models trained on two tasks.
_SPARE = (
    "*.attn.bias",
    "*.attn.masked_bias",
    "*.attention.bias",
    "*.attention.masked_bias",
    "*rotary_emb.inv_freq",
    "*position_ids",
    "*pooler.*",
    "cls.seq_relationship.*",
)


def build_network(
    path: Path, config: Mapping[str, Any], state: dict[str, Tensor], *, dtype: torch.dtype
) -> Any:
    """Build the architecture that `config` names and put the weights into it.

    The weights are handed over, not read by transformers, so that every shard has been
    checked, nothing is unpickled, and nothing is asked of the network.

    Raises:
        CheckpointError: If the architecture is unknown, or the weights do not fit it.
    """
    architecture = _architecture(path, config)
    options: dict[str, Any] = {}
    if "add_pooling_layer" in inspect.signature(architecture).parameters:
        options["add_pooling_layer"] = any("pooler." in name for name in state)
    try:
        network, report = architecture.from_pretrained(
            None,
            config=architecture.config_class.from_pretrained(str(path), local_files_only=True),
            state_dict=state,
            dtype=dtype,
            attn_implementation="eager",
            output_loading_info=True,
            ignore_mismatched_sizes=True,
            **options,
        )
    except Exception as error:  # transformers raises nearly anything for a bad configuration.
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise CheckpointError(f"{path}: transformers cannot build it ({reason}).") from error
    _check_complete(path, report)
    network.config.use_cache = False
    return network


def _architecture(path: Path, config: Mapping[str, Any]) -> Any:
    import transformers

    names = config.get("architectures") or [None]
    found = getattr(transformers, str(names[0]), None)
    if not (inspect.isclass(found) and issubclass(found, transformers.PreTrainedModel)):
        raise CheckpointError(
            f"{path / 'config.json'}: architecture {names[0]!r} is not one of transformers' own; "
            "posprobe runs no code that comes with a checkpoint."
        )
    if "quantization_config" in config:
        raise CheckpointError(f"{path}: the weights are quantised; save them as floats first.")
    if config.get("is_encoder_decoder"):
        raise CheckpointError(f"{path}: {names[0]} has two stacks; posprobe measures one.")
    return found


def _check_complete(path: Path, report: Mapping[str, Any]) -> None:
    """Refuse weights that leave a tensor random or that the model has no place for.

    Transformers fills what is missing with random numbers, and says so in a log line only.
    """
    spare = {
        name
        for name in report["unexpected_keys"]
        if any(fnmatchcase(name, pattern) for pattern in _SPARE)
    }
    misshapen = [
        f"{name} (file {_shape(held)}, model {_shape(wanted)})"
        for name, held, wanted in report["mismatched_keys"]
    ]
    faults = {
        "missing": sorted(report["missing_keys"]),
        "not known": sorted(report["unexpected_keys"] - spare),
        "of another shape": sorted(misshapen),
        "unreadable": sorted(report["error_msgs"]),
    }
    listed = [
        f"{len(names)} {what}: {', '.join(names[:5])}{' …' if len(names) > 5 else ''}"
        for what, names in faults.items()
        if names
    ]
    if listed:
        raise CheckpointError(f"{path}: the weights do not fit the model: {'; '.join(listed)}.")


def _shape(shape: Any) -> str:
    return "×".join(map(str, shape))
