"""Opening checkpoints in the layout of Hugging Face transformers."""

from pathlib import Path
from typing import Any

import torch

from posprobe.core.files import sha256
from posprobe.core.options import LoadOptions
from posprobe.core.provenance import CheckpointSource
from posprobe.loaders.weight_files import read_json
from posprobe.loaders.weights import read_weights
from posprobe.models.protocol import Model


def load_huggingface(path: Path, options: LoadOptions) -> Model:
    """Open a folder with `config.json` and weights; nothing is fetched, no code in it is run.

    Language models that TransformerLens knows come through its bridge; others, and models
    without a head, are listened to through plain hooks.

    Raises:
        CheckpointError: If the architecture is not one of transformers' own, or a tensor is
            missing, unknown or misshapen.
    """
    from posprobe.loaders.huggingface_network import build_network
    from posprobe.loaders.quiet import quiet
    from posprobe.loaders.tokenizers import find_tokenizer
    from posprobe.loaders.wrapping import wrap

    config = read_json(path / "config.json")
    state, files = read_weights(path, trust_pickle=options.trust_pickle)
    dtype = getattr(torch, options.dtype)

    def build() -> Any:
        return build_network(path, config, state, dtype=dtype).to(options.device)

    with quiet():
        source = CheckpointSource(ref=str(path), format="huggingface", sha256=sha256(*files))
        return wrap(build, source=source, tokenizer=find_tokenizer(path))
