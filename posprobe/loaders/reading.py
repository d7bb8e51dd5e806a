"""Reading a position table out of a checkpoint, without the model where that is possible."""

from pathlib import Path
from typing import Any

from posprobe.core.files import sha256
from posprobe.core.options import LoadOptions
from posprobe.core.provenance import CheckpointSource
from posprobe.loaders.formats import FORMATS, find_format
from posprobe.loaders.locating import locate
from posprobe.loaders.weight_files import SAFETENSORS, weight_files
from posprobe.models.position_table import PositionTable


def read_position_table(
    ref: str | Path, **options: Any
) -> tuple[PositionTable | None, CheckpointSource]:
    """Read a checkpoint's position table without building the model, where that is possible.

    Args:
        ref: What `load` opens.
        **options: The fields of `LoadOptions`.

    Returns:
        The table, or None if the model has no learned one, and where it came from.
    """
    if LoadOptions(**options).device != "cpu":
        from posprobe.loaders.opening import require_usable

        require_usable(LoadOptions(**options))
    name, path = find_format(locate(str(ref)))
    alone = FORMATS[name].read_table is not None
    files = tuple(weight_files(path, SAFETENSORS)) if alone and path.is_dir() else ()
    if not files:
        from posprobe.loaders.opening import load

        model = load(ref, **options)
        return model.position_table(), model.source
    source = CheckpointSource(
        ref=str(ref), format=name, sha256=sha256(*files), trained=FORMATS[name].history(path)
    )
    return FORMATS[name].table(path), source
