"""Opening checkpoints: one file per format, one function for all of them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from posprobe.loaders.locating import is_configuration, list_checkpoints
    from posprobe.loaders.opening import from_pretrained, load, load_random, load_skeleton
    from posprobe.loaders.reading import read_position_table

__all__ = [
    "from_pretrained",
    "is_configuration",
    "list_checkpoints",
    "load",
    "load_random",
    "load_skeleton",
    "read_position_table",
]

# Looked up when first used: a position table is read without torch, which takes seconds.
_HOMES = {
    "from_pretrained": "opening",
    "is_configuration": "locating",
    "list_checkpoints": "locating",
    "load": "opening",
    "load_random": "opening",
    "load_skeleton": "opening",
    "read_position_table": "reading",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'posprobe.loaders' has no attribute {name!r}")
    return getattr(import_module(f"posprobe.loaders.{_HOMES[name]}"), name)
