"""Opening a checkpoint as a model, whatever its format."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from posprobe.core.errors import UserError
from posprobe.core.files import strict_json
from posprobe.core.options import LoadOptions
from posprobe.core.provenance import CheckpointSource
from posprobe.loaders.formats import FORMATS, find_format
from posprobe.loaders.locating import is_configuration, locate
from posprobe.loaders.tokenizers import open_tokenizer
from posprobe.models.config import NAMED_CONFIGS
from posprobe.models.protocol import Model


def load(ref: str | Path, **options: Any) -> Model:
    """Open a checkpoint for measuring: weights read, evaluation mode, hooks in place.

    Args:
        ref: A path, a name under `checkpoints/`, or a Hub id (`owner/name`, `owner/name@tag`).
            The network is used only for a Hub id that is not a path.
        **options: The fields of `LoadOptions`: device, dtype, tokenizer, gelu, trust_pickle.

    Raises:
        CheckpointError: If there is no such checkpoint, or it cannot be read whole.
    """
    chosen = require_usable(LoadOptions(**options))
    name, path = find_format(locate(str(ref)))
    model = FORMATS[name].open(path, chosen)
    model.source = replace(model.source, ref=str(ref))
    return _place(model, chosen)


def from_pretrained(repo_id: str, *, revision: str | None = None, **options: Any) -> Model:
    """Open a checkpoint on the Hub, such as one that `push_to_hub` uploaded.

    Args:
        repo_id: `owner/name`.
        revision: Branch, tag or commit. None: the default branch.
        **options: The fields of `LoadOptions`.

    Raises:
        CheckpointError: If the repository cannot be reached or read.
    """
    return load(repo_id if revision is None else f"{repo_id}@{revision}", **options)


def load_random(
    ref: str | Path, *, seed: int = 0, mean: float = 0.0, std: float | None = None, **options: Any
) -> Model:
    """Build a checkpoint's architecture, or a named configuration, with random weights.

    Args:
        ref: What `load` opens, or a name such as `nanogpt-nope-paper`.
        seed: Seed of the weights.
        mean: Mean of every weight matrix and embedding, if `std` is given.
        std: Their standard deviation. None: as the architecture is usually initialised.
        **options: The fields of `LoadOptions`.

    Raises:
        CheckpointError: If the name is neither a checkpoint nor a configuration.
    """
    chosen = require_usable(LoadOptions(**options))
    if is_configuration(str(ref)):
        model = _from_config(str(ref), seed, mean, std)
    else:
        trained = load(ref, **options)
        model = trained.reinit(seed, mean=mean, std=std)
        model.source = replace(trained.source, format=f"{trained.source.format}, random weights")
    return _place(model, chosen)


def load_skeleton(name: str, tokenizer: str | None = None) -> Model:
    """Build a named configuration without any weights: its facts, its sites, its vocabulary.

    Args:
        name: A name such as `nanogpt-nope-paper`.
        tokenizer: As for `load`.
    """
    with torch.device("meta"):
        model = _from_config(name, 0, 0.0, None)
    if tokenizer is not None:
        model.tokenizer = open_tokenizer(tokenizer)
    return model


def require_usable(options: LoadOptions) -> LoadOptions:
    """Refuse a device that is not here.

    Raises:
        UserError: Names those that are.
    """
    try:
        torch.empty(1, device=options.device)
    except (RuntimeError, AssertionError) as error:
        here = ["cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
        raise UserError(
            f"--device {options.device}: cannot be used here; there are: {', '.join(here)}"
        ) from error
    return options


def _from_config(name: str, seed: int, mean: float, std: float | None) -> Model:
    from posprobe.data.vocabulary import ascii_vocabulary
    from posprobe.models.build import build

    cfg = NAMED_CONFIGS[name]
    model = build(cfg, seed=seed, mean=mean, std=std)
    digest = hashlib.sha256(strict_json(cfg.to_dict()).encode()).hexdigest()
    model.source = CheckpointSource(ref=name, format="configuration, random weights", sha256=digest)
    vocabulary = ascii_vocabulary()
    model.tokenizer = vocabulary if vocabulary.size == cfg.d_vocab else None
    return model


def _place(model: Model, options: LoadOptions) -> Model:
    if options.tokenizer is not None:
        model.tokenizer = open_tokenizer(options.tokenizer)
    if isinstance(model, nn.Module):
        model.to(device=options.device, dtype=getattr(torch, options.dtype))
    return model
