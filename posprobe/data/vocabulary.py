"""Tokenizers that read one character at a time."""

import json
import string
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from posprobe.core.errors import CorpusError
from posprobe.core.files import write_text


class CharVocabulary:
    r"""A tokenizer with one id per character and no special tokens.

    Attributes:
        name: Where it came from, for the report.
        characters: The characters in the order of their ids.
        size: Number of characters.
        pad_id: None, since no character means padding.
        special_ids: Empty, since every character is text.

    >>> CharVocabulary(["\n", "a", "b"], name="abc").encode("ab")
    [1, 2]
    """

    def __init__(self, characters: Sequence[str], *, name: str) -> None:
        self.name = name
        self.characters = tuple(characters)
        self.size = len(self.characters)
        self.pad_id: int | None = None
        self.special_ids: tuple[int, ...] = ()
        self._ids = {character: index for index, character in enumerate(self.characters)}
        if not self.characters or any(len(item) != 1 for item in self.characters):
            raise CorpusError(f"vocabulary {name}: every entry must be one character")
        if len(self._ids) != self.size:
            raise CorpusError(f"vocabulary {name}: a character has two ids")

    @classmethod
    def from_meta(cls, meta: Mapping[str, Any], *, name: str) -> "CharVocabulary":
        """Read the tables of a nanoGPT `meta.pkl`, already turned into a dict.

        Args:
            meta: `stoi` (character to id) or `itos` (id to character, where the ids may
                be strings, as JSON has them), or both; other entries are ignored.
            name: Where it came from, for messages and the report.

        Raises:
            CorpusError: If neither table is there, they disagree, or the ids are not
                0, 1, 2, … without gaps.
        """
        tables = _characters_by_id(meta, name)
        if not tables:
            raise CorpusError(f"vocabulary {name}: has neither `stoi` nor `itos`")
        by_id = tables[0]
        if any(table != by_id for table in tables):
            raise CorpusError(f"vocabulary {name}: `stoi` and `itos` disagree")
        if sorted(by_id) != list(range(len(by_id))):
            raise CorpusError(f"vocabulary {name}: the ids are not 0 to {len(by_id) - 1}")
        return cls([by_id[index] for index in range(len(by_id))], name=name)

    @classmethod
    def from_file(cls, path: Path) -> "CharVocabulary":
        """Read a JSON file with the tables of `from_meta`.

        Raises:
            CorpusError: If the file is not there or is not such a table.
        """
        try:
            meta = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise CorpusError(f"vocabulary {path}: cannot be read as JSON ({error})") from error
        if not isinstance(meta, dict):
            raise CorpusError(f"vocabulary {path}: must be a JSON object with `stoi` or `itos`")
        return cls.from_meta(meta, name=str(path))

    def save(self, path: Path) -> Path:
        """Write the JSON file that `from_file` reads."""
        content = {"vocab_size": self.size, "stoi": self._ids}
        return write_text(path, json.dumps(content, ensure_ascii=True, indent=1) + "\n")

    def encode(self, text: str) -> list[int]:
        """Return one id per character.

        Raises:
            CorpusError: If a character has no id; the message names it.
        """
        try:
            return [self._ids[character] for character in text]
        except KeyError as error:
            raise CorpusError(self._unknown(error.args[0], text)) from None

    def encode_with_offsets(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Return one id per character, and where each character starts and ends.

        Raises:
            CorpusError: If a character has no id.
        """
        ids = self.encode(text)
        return ids, [(place, place + 1) for place in range(len(ids))]

    def decode(self, ids: list[int]) -> list[str]:
        r"""Return one printable string per id: a newline is the two signs `\n`.

        An id beyond the vocabulary, which a model with spare rows can predict, is `<id>`.
        """
        return [self._printable(index) for index in ids]

    def _printable(self, index: int) -> str:
        if not 0 <= index < self.size:
            return f"<{index}>"
        character = self.characters[index]
        return character if character.isprintable() else repr(character)[1:-1]

    def _unknown(self, character: str, text: str) -> str:
        return (
            f"character {character!r} (U+{ord(character):04X}, place {text.index(character)}) is "
            f"not among the {self.size} of vocabulary {self.name}; remove it from the text, or "
            "name the vocabulary the model was trained with by --tokenizer"
        )


def ascii_vocabulary() -> CharVocabulary:
    """Return the 96 characters of B's code: newline, then all printable ASCII, sorted.

    >>> ascii_vocabulary().size
    96
    """
    characters = string.ascii_letters + string.digits + string.punctuation + " \n"
    return CharVocabulary(sorted(characters), name="ASCII characters")


def _characters_by_id(meta: Mapping[str, Any], name: str) -> list[dict[int, str]]:
    pairs = []
    try:
        if "stoi" in meta:
            pairs.append([(int(index), str(item)) for item, index in meta["stoi"].items()])
        if "itos" in meta:
            pairs.append([(int(index), str(item)) for index, item in meta["itos"].items()])
    except (AttributeError, TypeError, ValueError) as error:
        raise CorpusError(f"vocabulary {name}: `stoi` or `itos` is not a table") from error
    if any(len(dict(table)) != len(table) for table in pairs):
        raise CorpusError(f"vocabulary {name}: two characters share an id")
    return [dict(table) for table in pairs]
