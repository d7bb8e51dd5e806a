"""What was measured before, kept on disk so that no run measures it twice."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from posprobe.core.files import atomic_path, strict_json, write_text
from posprobe.core.reading import from_plain
from posprobe.core.result import plain

VARIABLE = "POSPROBE_CACHE"
"""The environment variable that names the user's folder; empty, nothing is kept."""
_KEY = "key"
"""Where a file of arrays says what decides them; no array has this name."""


@dataclass(frozen=True)
class Cache:
    """A folder of files, each named after a hash of all that decides what is in it.

    What was found is JSON. Sums on the way to it are arrays in `.npz` files beside it; nothing
    is ever unpickled.

    Attributes:
        folder: Where they lie; it is made when the first is written.
    """

    folder: Path

    def load(self, kind: Any, name: str, key: dict[str, Any]) -> Any:
        """Read a value back; None if there is none, or a damaged one.

        Args:
            kind: Its type, as `from_plain` wants it.
            name: What it is called, the first part of the file's name.
            key: All that decides it, as plain values.
        """
        try:
            read = json.loads(self._file(name, key).read_text(encoding="utf-8"))
            if strict_json(read["key"]) != strict_json(key):
                return None
            return from_plain(kind, read["value"], where=name)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def save(self, name: str, key: dict[str, Any], value: Any) -> None:
        """Write a value, whole or not at all.

        Args:
            name: What it is called.
            key: All that decides it, as plain values.
            value: A dataclass, a tuple of them, or anything else that `plain` understands.

        Raises:
            OSError: If it cannot be written.
        """
        text = strict_json({"key": key, "value": plain(value)})
        write_text(self._file(name, key), text + "\n")

    def load_arrays(
        self, name: str, key: dict[str, Any], part: str
    ) -> dict[str, np.ndarray] | None:
        """Read arrays back; None if there are none, or damaged ones.

        Args:
            name: What they lead to, as for `load`.
            key: As for `load`.
            part: Which of those that lead to it.
        """
        file = self._file(name, key, f".{part}.npz")
        try:
            # Opened here, since NumPy leaves a damaged file open.
            with file.open("rb") as stream, np.load(stream, allow_pickle=False) as read:
                found = {array: read[array] for array in read.files}
        except (OSError, ValueError, EOFError, BadZipFile):
            return None
        return found if str(found.pop(_KEY, "")) == strict_json(key) else None

    def save_arrays(
        self, name: str, key: dict[str, Any], part: str, arrays: Mapping[str, np.ndarray]
    ) -> None:
        """Write arrays, whole or not at all.

        Args:
            name: As for `load_arrays`.
            key: As for `load_arrays`.
            part: As for `load_arrays`.
            arrays: Numbers by name.

        Raises:
            OSError: If they cannot be written.
        """
        content: dict[str, Any] = {_KEY: np.array(strict_json(key)), **arrays}
        with atomic_path(self._file(name, key, f".{part}.npz")) as path, path.open("wb") as stream:
            np.savez(stream, **content)

    def drop_arrays(self, name: str, key: dict[str, Any]) -> None:
        """Remove the arrays that led to a value, now that it is kept itself."""
        for file in self.folder.glob(self._file(name, key, ".*.npz").name):
            file.unlink(missing_ok=True)

    def _file(self, name: str, key: dict[str, Any], ending: str = ".json") -> Path:
        digest = hashlib.sha256(strict_json(key).encode()).hexdigest()
        return self.folder / f"{name}-{digest[:16]}{ending}"


def user_cache() -> Cache | None:
    """Return the user's cache: where POSPROBE_CACHE says, else `posprobe` in the XDG cache.

    None if POSPROBE_CACHE is set and empty.
    """
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Cache(Path(named).expanduser()) if named else None
    xdg = Path(os.environ.get("XDG_CACHE_HOME") or "")
    try:
        home = xdg if xdg.is_absolute() else Path.home() / ".cache"
    except RuntimeError:  # an account without a home
        return None
    return Cache(home / "posprobe")
