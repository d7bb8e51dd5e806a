"""posprobe's own format: a folder of safetensors and readable JSON."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors.torch import save_file
from torch import Tensor

from posprobe.core.errors import UserError
from posprobe.core.files import atomic_folder, sha256, strict_json
from posprobe.core.options import LoadOptions
from posprobe.core.provenance import CheckpointSource
from posprobe.data.vocabulary import CharVocabulary
from posprobe.loaders.native_config import (
    CONFIG,
    FORMAT,
    PROVENANCE,
    VERSION,
    read_native_config,
    read_provenance,
)
from posprobe.loaders.tokenizers import TOKENIZER, VOCABULARY, find_tokenizer
from posprobe.loaders.weights import SAFETENSORS, fit, read_weights
from posprobe.models.build import build
from posprobe.models.config import DecoderConfig, EncoderConfig
from posprobe.models.decoder import Decoder
from posprobe.models.encoder import Encoder

_TIED = {"unembed.head.weight": "embed.weight"}


def save_native(
    model: Encoder | Decoder, folder: Path | str, *, provenance: dict[str, Any] | None = None
) -> Path:
    """Write a model as a folder: weights, configuration, vocabulary, provenance.

    The folder appears whole or not at all; an older one of that name is replaced.

    Args:
        model: An encoder or decoder built by posprobe.
        folder: Where to write.
        provenance: How the weights came to be: recipe, seed, data and its hash, steps, losses.

    Raises:
        UserError: If the model is a wrapped one, which has its own library's format.
    """
    if not isinstance(model, Encoder | Decoder):
        raise UserError(f"{type(model).__name__} has its own library's format; save it with that")
    tied = isinstance(model, Decoder) and model.cfg.tied
    state = {k: v for k, v in model.state_dict().items() if not (tied and k in _TIED)}
    folder = Path(folder)
    known = provenance if provenance is not None else model.source.trained
    with atomic_folder(folder) as temporary:
        write_native(temporary, state, model.cfg, known)
        if model.tokenizer is not None:
            own = VOCABULARY if isinstance(model.tokenizer, CharVocabulary) else TOKENIZER
            model.tokenizer.save(temporary / own)
    return folder


def write_native(
    folder: Path,
    state: Mapping[str, Tensor],
    cfg: EncoderConfig | DecoderConfig,
    provenance: dict[str, Any],
) -> None:
    """Write weights, configuration and provenance into a folder that is not in place yet.

    Args:
        folder: Where to write; the caller moves it into place.
        state: The weights, all of them or those that are kept of a training step.
        cfg: The model's settings.
        provenance: How the weights came to be.
    """
    save_file({name: x.contiguous() for name, x in state.items()}, folder / SAFETENSORS)
    config = {"format": FORMAT, "format_version": VERSION, **cfg.to_dict()}
    (folder / CONFIG).write_text(strict_json(config), encoding="utf-8")
    (folder / PROVENANCE).write_text(strict_json(provenance), encoding="utf-8")


def load_native(path: Path, options: LoadOptions) -> Encoder | Decoder:
    """Open a folder written by `save_native`.

    Raises:
        CheckpointError: If the configuration is of a newer version or does not fit the weights.
    """
    cfg = read_native_config(path)
    model = build(cfg)
    state, files = read_weights(path)
    tied = _TIED if isinstance(cfg, DecoderConfig) and cfg.tied else {}
    fit(model, state, where=str(path), tied=tied)
    model.source = CheckpointSource(
        ref=str(path), format="native", sha256=sha256(*files), trained=read_provenance(path)
    )
    model.tokenizer = find_tokenizer(path)
    return model
