"""Finding the vocabulary that belongs to a checkpoint."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from posprobe.core.errors import UserError
from posprobe.data.subwords import SubwordTokenizer
from posprobe.data.tokenizer import Tokenizer
from posprobe.data.vocabulary import CharVocabulary, ascii_vocabulary
from posprobe.loaders.pickles import load_meta

VOCABULARY, TOKENIZER = "vocabulary.json", "tokenizer.json"


def open_tokenizer(ref: str) -> Tokenizer:
    """Open what a user names with `--tokenizer`.

    Args:
        ref: `ascii` (the 96 characters of arXiv 2501.00073's code), a nanoGPT `meta.pkl`,
            a `vocabulary.json`, a `tokenizer.json` or `vocab.txt`, or a folder with one of them.

    Raises:
        UserError: If there is no such file or it is of another kind.
    """
    if ref == "ascii":
        return ascii_vocabulary()
    path = Path(ref)
    if path.is_dir() and (found := find_tokenizer(path)):
        return found
    if path.suffix == ".pkl" and path.is_file():
        return CharVocabulary.from_meta(load_meta(path), name=path.name)
    if path.name == VOCABULARY and path.is_file():
        return CharVocabulary.from_file(path)
    if path.is_file():
        return SubwordTokenizer.from_path(path)
    raise UserError(
        f"--tokenizer {ref}: no such vocabulary; give `ascii`, a meta.pkl, tokenizer.json, "
        "vocab.txt or a folder with one of them"
    )


def find_tokenizer(folder: Path) -> Tokenizer | None:
    """Open the tokenizer that lies in a checkpoint's folder, if there is one."""
    if (folder / VOCABULARY).is_file():
        return CharVocabulary.from_file(folder / VOCABULARY)
    if any((folder / name).is_file() for name in (TOKENIZER, "vocab.txt")):
        return SubwordTokenizer.from_path(folder)
    return _only_meta(folder)


def find_vocabulary(checkpoint: Path, config: Any) -> Tokenizer | None:
    """Find the character table of a nanoGPT file: beside it, or in `data/<dataset>`.

    The checkpoint itself does not hold its vocabulary; its training settings name the data set.
    """
    found = _only_meta(checkpoint.parent)
    if found is None and isinstance(config, Mapping) and config.get("dataset"):
        found = _only_meta(checkpoint.parent.parent / "data" / str(config["dataset"]))
    return found


def _only_meta(folder: Path) -> Tokenizer | None:
    """Open the one `meta*.pkl` of a folder; of several, none can be told to be the right one."""
    metas = sorted(folder.glob("meta*.pkl"))
    if len(metas) != 1:
        return None
    return CharVocabulary.from_meta(load_meta(metas[0]), name=metas[0].name)
