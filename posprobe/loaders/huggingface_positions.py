"""The position table of a Hugging Face folder, read without building the model."""

from pathlib import Path

from posprobe.core.errors import CheckpointError
from posprobe.loaders.huggingface_tables import FAMILIES
from posprobe.loaders.position_rows import position_rows
from posprobe.loaders.stored_table import read_stored_table, require_rows
from posprobe.loaders.weight_files import read_json
from posprobe.models.position_table import PositionTable

# What transformers writes in front of the base model's own names.
_PREFIXES = ("", "transformer.", "model.", "bert.", "roberta.", "electra.", "distilbert.")


def read_huggingface_table(path: Path) -> PositionTable | None:
    """Read the learned position table alone, or None where the architecture has none.

    Needs neither torch nor transformers nor the rest of the weights.

    Raises:
        CheckpointError: If the architecture has a table and the file does not.
    """
    config = read_json(path / "config.json")
    family = FAMILIES.get(str(config.get("model_type")))
    table = family.table_path() if family else None
    if family is None or table is None:
        return None
    stored = read_stored_table(path, [f"{prefix}{table}.weight" for prefix in _PREFIXES])
    if stored is None:
        raise CheckpointError(f"{path}: the weights lack the position table {table}.weight.")
    offset = family.offset(config)
    said = config.get("max_position_embeddings", config.get("n_positions"))
    # Whether the rows that no token reads are counted differs between architectures.
    if said is not None and len(stored) not in (said, said + offset):
        require_rows(stored, said, path)
    return position_rows(stored, offset)
