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
    from posprobe.pipeline.compare import compare
    from posprobe.pipeline.decomposition import decomposition
    from posprobe.pipeline.heads import heads
    from posprobe.pipeline.holmes import holmes
    from posprobe.pipeline.holmes_data import holmes_data
    from posprobe.pipeline.manifold import manifold
    from posprobe.pipeline.probe import probe
    from posprobe.pipeline.report import full_report
    from posprobe.pipeline.reproduce import reproduce
    from posprobe.pipeline.sweep import sweep

__all__ = [
    "adjacency",
    "compare",
    "decomposition",
    "from_pretrained",
    "full_report",
    "heads",
    "holmes",
    "holmes_data",
    "load",
    "load_random",
    "manifold",
    "probe",
    "push_to_hub",
    "reproduce",
    "save",
    "sweep",
]

# Looked up when first used: torch and transformer_lens take seconds to import.
_HOMES = {
    "adjacency": ("posprobe.pipeline.adjacency", "adjacency"),
    "compare": ("posprobe.pipeline.compare", "compare"),
    "decomposition": ("posprobe.pipeline.decomposition", "decomposition"),
    "from_pretrained": ("posprobe.loaders", "from_pretrained"),
    "full_report": ("posprobe.pipeline.report", "full_report"),
    "heads": ("posprobe.pipeline.heads", "heads"),
    "holmes": ("posprobe.pipeline.holmes", "holmes"),
    "holmes_data": ("posprobe.pipeline.holmes_data", "holmes_data"),
    "load": ("posprobe.loaders", "load"),
    "load_random": ("posprobe.loaders", "load_random"),
    "manifold": ("posprobe.pipeline.manifold", "manifold"),
    "probe": ("posprobe.pipeline.probe", "probe"),
    "push_to_hub": ("posprobe.loaders.hub", "push_to_hub"),
    "reproduce": ("posprobe.pipeline.reproduce", "reproduce"),
    "save": ("posprobe.loaders.native", "save_native"),
    "sweep": ("posprobe.pipeline.sweep", "sweep"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'posprobe' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return __all__
