"""What a checkpoint is, without running it."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from posprobe.core.result import plain
from posprobe.loaders import load


def inspect_checkpoint(ref: str, **options: Any) -> dict[str, Any]:
    """Return the facts about a checkpoint: configuration, position scheme, sites, hash.

    Args:
        ref: A path, a shipped name or a Hub id.
        **options: The fields of `LoadOptions`.
    """
    model = load(ref, **options)
    info = asdict(model.info)
    table = model.position_table()
    rows = None if table is None else f"{table.rows.shape[0]} × {table.rows.shape[1]}"
    return {
        "checkpoint": Path(ref).name or ref,
        "format": model.source.format,
        "sha256": model.source.sha256,
        **plain(info),
        "position_table": rows,
        "vocabulary": None if model.tokenizer is None else model.tokenizer.name,
        **{f"trained_{key}": value for key, value in model.source.trained.items()},
        "sites": list(model.sites()),
    }
