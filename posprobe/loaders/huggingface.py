"""Opening checkpoints in the layout of Hugging Face transformers."""

from pathlib import Path
from typing import Any

import torch

from posprobe.core.errors import CheckpointError
from posprobe.core.files import sha256
from posprobe.core.options import LoadOptions
from posprobe.core.provenance import CheckpointSource
from posprobe.loaders.huggingface_tables import FAMILIES
from posprobe.loaders.position_rows import position_rows
from posprobe.loaders.weights import read_json, read_tensor, read_weights, require_rows
from posprobe.models.protocol import Model, PositionTable

# What transformers writes in front of the base model's own names.
_PREFIXES = ("", "transformer.", "model.", "bert.", "roberta.", "electra.", "distilbert.")


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


def read_position_table(path: Path) -> PositionTable | None:
    """Read the learned position table alone, or None where the architecture has none.

    Needs neither transformers nor the rest of the weights.

    Raises:
        CheckpointError: If the architecture has a table and the file does not.
    """
    config = read_json(path / "config.json")
    family = FAMILIES.get(str(config.get("model_type")))
    table = family.table_path() if family else None
    if family is None or table is None:
        return None
    stored = read_tensor(path, [f"{prefix}{table}.weight" for prefix in _PREFIXES])
    if stored is None:
        raise CheckpointError(f"{path}: the weights lack the position table {table}.weight.")
    offset = family.offset(config)
    said = config.get("max_position_embeddings", config.get("n_positions"))
    # Whether the rows that no token reads are counted differs between architectures.
    if said is not None and len(stored) not in (said, said + offset):
        require_rows(stored, said, path)
    return position_rows(stored, offset)
