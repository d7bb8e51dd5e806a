"""Settings, provenance and position table of posprobe's own folders, without the model."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from posprobe.core.errors import CheckpointError
from posprobe.loaders.position_rows import position_rows
from posprobe.loaders.stored_table import read_stored_table, require_rows
from posprobe.loaders.weight_files import read_json
from posprobe.models.config import DecoderConfig, EncoderConfig
from posprobe.models.position_table import PositionTable

CONFIG, PROVENANCE = "config.json", "provenance.json"
FORMAT, VERSION = "posprobe", 1
FAMILIES = {"encoder": EncoderConfig, "decoder": DecoderConfig}


def read_native_table(path: Path) -> PositionTable | None:
    """Read the position table alone, without building the model."""
    cfg = read_native_config(path)
    table = read_stored_table(path, ["pos_embed.weight"])
    if table is None:
        return None
    offset = cfg.pad_id + 1 if isinstance(cfg, EncoderConfig) else 0
    require_rows(table, cfg.n_ctx + offset, path)
    trained = read_provenance(path).get("longest_document")
    return replace(position_rows(table, offset), trained=trained)


def is_native(config: dict[str, Any]) -> bool:
    """Tell from a `config.json` whether posprobe wrote it."""
    return config.get("format") == FORMAT


def read_native_config(path: Path) -> EncoderConfig | DecoderConfig:
    """Read the settings of a folder that posprobe wrote.

    Raises:
        CheckpointError: If it was written by a newer posprobe or names no known family.
    """
    values = read_json(path / CONFIG)
    if values.get("format_version", 0) > VERSION:
        raise CheckpointError(f"{path}: written by a newer posprobe; upgrade to read it")
    family = FAMILIES.get(values.get("family", ""))
    if family is None:
        raise CheckpointError(f"{path}: family must be one of {sorted(FAMILIES)} in config.json")
    return family.from_dict(
        {key: v for key, v in values.items() if key not in ("format", "format_version")}
    )


def read_provenance(path: Path) -> dict[str, Any]:
    """Read how the weights came to be; empty where nobody wrote it down."""
    file = path / PROVENANCE
    return read_json(file) if file.is_file() else {}
