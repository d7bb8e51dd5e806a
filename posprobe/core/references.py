"""From what a user types to a place on disk or on the Hub."""

import os
import re
from pathlib import Path

SHIPPED = Path(__file__).resolve().parents[2] / "checkpoints"
"""Where the checkpoints lie that come with a clone of posprobe."""


def find_local(ref: str) -> Path | None:
    """Find a checkpoint on this machine.

    Args:
        ref: A path, or a name under `./checkpoints`, under the folder that the environment
            variable POSPROBE_CHECKPOINTS names, or among those that ship.

    Returns:
        The file or folder, or None.
    """
    path = Path(ref).expanduser()
    if path.exists():
        return path
    if path.is_absolute() or len(path.parts) != 1:
        return None
    return next((home / ref for home in checkpoint_homes() if (home / ref).exists()), None)


def checkpoint_homes() -> tuple[Path, ...]:
    """List the folders in which a bare name is looked up, in that order."""
    own = os.environ.get("POSPROBE_CHECKPOINTS")
    homes = (Path("checkpoints"), *([Path(own)] if own else []), SHIPPED)
    return tuple(dict.fromkeys(home.resolve() for home in homes))


def is_hub_id(ref: str) -> bool:
    """Tell whether a reference can name a repository on the Hub: `owner/name`.

    >>> is_hub_id("openai-community/gpt2"), is_hub_id("./gpt2"), is_hub_id("nanogpt-nope")
    (True, False, False)
    """
    return re.fullmatch(r"[\w][\w.-]*/[\w][\w.-]*", ref) is not None
