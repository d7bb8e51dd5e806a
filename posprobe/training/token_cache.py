"""Token ids on disk, so that they are made once and need not fit in memory."""

import json
from pathlib import Path

import numpy as np

from posprobe.data.token_set import TokenSet

_ARRAYS = ("ids", "lengths", "documents")


def save_tokens(tokens: TokenSet, folder: Path) -> None:
    """Write token ids into a new folder, an array a file."""
    folder.mkdir()
    for name in _ARRAYS:
        np.save(folder / f"{name}.npy", getattr(tokens, name))
    facts = {
        "name": tokens.name,
        "special_ids": tokens.special_ids,
        "truncated": tokens.truncated,
        "too_short": tokens.too_short,
    }
    (folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")


def open_tokens(folder: Path) -> TokenSet:
    """Open token ids; the system reads of them what is used, and shares it among processes."""
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    facts["special_ids"] = tuple(facts["special_ids"])
    arrays = {name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in _ARRAYS}
    return TokenSet(**arrays, **facts)
