"""Reading and writing files so that a crash loses nothing."""

import hashlib
import json
import math
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from posprobe.core.errors import UserError


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Give a temporary file or folder name beside `path`; move it there on success.

    Args:
        path: Where the finished file belongs. Its folder is created.

    Yields:
        A name in the same folder, so that the final rename is atomic.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp makes private files; a report is as readable as the umask says.
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Give a temporary folder beside `path`; put it in that place on success.

    What was at `path` before stays whole until the new folder is, and goes then.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    old = temporary.with_name(temporary.name + ".old")
    try:
        yield temporary
        temporary.chmod(0o777 & ~_umask())
        for file in temporary.rglob("*"):
            # Libraries that write through temporary files of their own leave them private.
            file.chmod((0o777 if file.is_dir() else 0o666) & ~_umask())
        if path.exists():
            path.rename(old)
        temporary.rename(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def require_writable(folder: Path, flag: str = "--out") -> None:
    """Refuse a folder that nothing can be written to; it need not exist yet.

    Asked before a long run, so that its result is not lost at the end.

    Args:
        folder: Where something will be written.
        flag: Which option named it.

    Raises:
        UserError: If the folder or what it would be made in is a file or is protected.
    """
    place = folder.absolute()
    while not place.exists():
        place = place.parent
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        raise UserError(f"{flag} {folder}: cannot be written; choose another folder")


def write_text(path: Path, text: str) -> Path:
    """Write UTF-8 text to `path`, whole or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return path


def strict_json(value: Any) -> str:
    """Serialise plain values as strict JSON; a number that is not finite becomes null.

    >>> print(strict_json({"share": float("nan")}))
    {
      "share": null
    }
    """
    return json.dumps(_finite(value), allow_nan=False, ensure_ascii=False, indent=2)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def sha256(*paths: Path) -> str:
    """Hash the contents of files, in the order given."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()
