"""From what a user types to a place on disk or on the Hub."""

import os
import re
from pathlib import Path

SHIPPED = Path(__file__).resolve().parents[2] / "checkpoints"
"""Where the checkpoints lie that come with a clone of posprobe."""
LOCAL_SUFFIXES = frozenset({".pt", ".pth", ".ckpt", ".bin", ".safetensors", ".json"})


def find_local(ref: str) -> Path | None:
    """Find a checkpoint on this machine.

    Args:
        ref: A path, or a name under `./checkpoints`, under the folder that the environment
            variable POSPROBE_CHECKPOINTS names, or among those that ship; `name/step-000500` is
            a step of one.

    Returns:
        The file or folder, or None.
    """
    path = Path(ref).expanduser()
    if path.exists():
        return path
    if path.is_absolute() or ".." in path.parts:
        return None
    return next((home / ref for home in checkpoint_homes() if (home / ref).exists()), None)


def checkpoint_homes() -> tuple[Path, ...]:
    """List the folders in which a bare name is looked up, in that order."""
    own = os.environ.get("POSPROBE_CHECKPOINTS")
    homes = (Path("checkpoints"), *([Path(own)] if own else []), SHIPPED)
    return tuple(dict.fromkeys(home.resolve() for home in homes))


def hub_id(ref: str) -> tuple[str, str | None] | None:
    """Split a reference into a Hub repository and a revision, if it can name one.

    A mistyped path names none: the network is not asked for `out/ckpt.pt`, nor for anything
    in a folder that is here.

    >>> hub_id("openai-community/gpt2"), hub_id("me/mine@v1"), hub_id("./gpt2")
    (('openai-community/gpt2', None), ('me/mine', 'v1'), None)
    """
    if Path(ref).suffix in LOCAL_SUFFIXES or Path(ref).parent.is_dir():
        return None
    found = re.fullmatch(r"(\w[\w.-]*/\w[\w.-]*)(?:@([\w./-]+))?", ref)
    return (found.group(1), found.group(2)) if found else None


def fetched_config(ref: str) -> Path | None:
    """Return a Hub repository's configuration as it was fetched last; the network is not asked.

    Args:
        ref: As the user typed it; None is returned for what is not on the Hub.
    """
    repository = hub_id(ref)
    if repository is None:
        return None
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(repository[0], "config.json", revision=repository[1])
    return Path(found) if isinstance(found, str) else None
