"""Where checkpoints are, by what a user calls them."""

from pathlib import Path

from posprobe.core.errors import CheckpointError
from posprobe.core.references import checkpoint_homes, find_local, hub_id
from posprobe.loaders.formats import find_format
from posprobe.models.config import NAMED_CONFIGS


def locate(ref: str) -> Path:
    """Find a checkpoint's file or folder; the Hub is asked only for what is not here.

    Raises:
        CheckpointError: If there is none; names those that are known.
    """
    if path := find_local(ref):
        return path
    if ref in NAMED_CONFIGS:
        raise CheckpointError(
            f"{ref}: a known configuration, but its trained weights are not here; "
            "--init measures it with random weights"
        )
    if repository := hub_id(ref):
        from posprobe.loaders.hub import download

        return download(*repository)
    names = ", ".join(sorted({name for name, _, _ in list_checkpoints()} | set(NAMED_CONFIGS)))
    raise CheckpointError(f"{ref}: no such file, folder or checkpoint; known names: {names}")


def list_checkpoints(folder: Path | None = None) -> list[tuple[str, str, Path]]:
    """List checkpoints as (name, format, path): those in `folder`, or those that a name finds."""
    found = []
    for home in (folder,) if folder else checkpoint_homes():
        for path in sorted(home.iterdir()) if home.is_dir() else ():
            try:
                found.append((path.name, find_format(path)[0], path))
            except (CheckpointError, NotADirectoryError):
                continue
    return found


def is_configuration(ref: str) -> bool:
    """Tell whether a reference names a configuration, with no weights of that name here."""
    return ref in NAMED_CONFIGS and find_local(ref) is None
