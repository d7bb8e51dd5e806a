"""Which tokens of a vocabulary are not text."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from posprobe.core.errors import CorpusError

ROLES = ("bos_token", "eos_token", "sep_token", "pad_token", "cls_token", "mask_token")
LISTS = ("additional_special_tokens", "extra_special_tokens")
FILES = ("tokenizer_config.json", "special_tokens_map.json")


@dataclass(frozen=True, kw_only=True)
class SpecialTokens:
    """What a tokenizer's configuration says of its special tokens.

    Attributes:
        tokens: Spellings of the start, end, separator, padding, mask and further tokens.
        pad: The padding token, or None.
        mask: The token that stands for a hidden one, or None.
        unknown: The token for what the vocabulary cannot spell, or None.
    """

    tokens: frozenset[str] = frozenset()
    pad: str | None = None
    mask: str | None = None
    unknown: str | None = None

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> "SpecialTokens":
        """Pick the special tokens out of a configuration; entries may be missing."""
        named = [_spelling(config.get(role)) for role in ROLES]
        further = [_spelling(item) for key in LISTS for item in _items(config.get(key))]
        return cls(
            tokens=frozenset(token for token in named + further if token),
            pad=_spelling(config.get("pad_token")),
            mask=_spelling(config.get("mask_token")),
            unknown=_spelling(config.get("unk_token")),
        )


def read_config(folder: Path) -> dict[str, Any]:
    """Read `tokenizer_config.json` and `special_tokens_map.json`; both may be missing.

    Raises:
        CorpusError: If one of them is not a JSON object.
    """
    config: dict[str, Any] = {}
    for name in FILES:
        if (folder / name).is_file():
            config |= _read(folder / name)
    return config


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CorpusError(f"tokenizer {path}: cannot be read as JSON ({error})") from error
    if not isinstance(content, dict):
        raise CorpusError(f"tokenizer {path}: must be a JSON object")
    return content


def _items(value: Any) -> list[Any]:
    return list(value.values() if isinstance(value, dict) else value or ())


def _spelling(value: Any) -> str | None:
    # A token is written as a string, or as an object with its stripping rules.
    if isinstance(value, dict):
        value = value.get("content")
    return value if isinstance(value, str) else None
