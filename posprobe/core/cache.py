"""What was measured before, kept on disk so that no run measures it twice."""

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posprobe.core.files import strict_json, write_text
from posprobe.core.reading import from_plain
from posprobe.core.result import plain

VARIABLE = "POSPROBE_CACHE"
"""The environment variable that names the user's folder; empty, nothing is kept."""


@dataclass(frozen=True)
class Cache:
    """A folder of JSON files, each named after a hash of all that decides what is in it.

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

    def _file(self, name: str, key: dict[str, Any]) -> Path:
        digest = hashlib.sha256(strict_json(key).encode()).hexdigest()
        return self.folder / f"{name}-{digest[:16]}.json"


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
