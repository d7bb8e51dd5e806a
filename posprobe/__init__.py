"""How a trained transformer keeps track of position.

>>> import posprobe
>>> report = posprobe.adjacency("nanogpt-nope-paper", init=True, prompts=8)
>>> report.result.summary()["sequences"]
8
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from posprobe.loaders import from_pretrained, load, load_random
    from posprobe.loaders.hub import push_to_hub
    from posprobe.loaders.native import save_native as save
    from posprobe.pipeline.adjacency import adjacency
    from posprobe.pipeline.heads import heads
    from posprobe.pipeline.manifold import manifold

__all__ = [
    "adjacency",
    "from_pretrained",
    "heads",
    "load",
    "load_random",
    "manifold",
    "push_to_hub",
    "save",
]

# Looked up when first used: torch and transformer_lens take seconds to import.
_HOMES = {
    "adjacency": ("posprobe.pipeline.adjacency", "adjacency"),
    "from_pretrained": ("posprobe.loaders", "from_pretrained"),
    "heads": ("posprobe.pipeline.heads", "heads"),
    "load": ("posprobe.loaders", "load"),
    "load_random": ("posprobe.loaders", "load_random"),
    "manifold": ("posprobe.pipeline.manifold", "manifold"),
    "push_to_hub": ("posprobe.loaders.hub", "push_to_hub"),
    "save": ("posprobe.loaders.native", "save_native"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'posprobe' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return __all__
