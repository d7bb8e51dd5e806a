"""BLiMP's minimal pairs as data sets: is a sentence good or bad?"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile

from posprobe.core.errors import CorpusError
from posprobe.data.holmes.writing import Row, draw_splits

PREFIX = "blimp-"
_FIELDS = ("sentence_good", "sentence_bad")


def blimp_datasets(path: Path, *, seed: int) -> Iterator[tuple[str, list[Row]]]:
    """Turn each paradigm into a data set with the label 1 for good and 0 for bad sentences.

    The two sentences of a pair are always in the same split. A pair that shares a sentence with
    an earlier one is left out, so that no sentence is in two splits or has two labels.

    Args:
        path: BLiMP as a `.zip`, as one `.jsonl` file for each paradigm in a folder, or one of
            these files.
        seed: Seed of the splits.

    Yields:
        A name, such as `blimp-wh_island`, and the rows.

    Raises:
        CorpusError: If the file cannot be read or a line is no minimal pair.
    """
    for name, text in _paradigms(path):
        place = f"{path}: {name}"
        pairs = [_pair(line, f"{place}:{number}") for number, line in _lines(text)]
        yield PREFIX + PurePosixPath(name).stem, list(_rows(pairs, seed=seed))


def _rows(pairs: Iterable[tuple[str, str]], *, seed: int) -> Iterator[Row]:
    kept, seen = [], set[str]()
    for pair in pairs:
        if seen.isdisjoint(pair):
            kept.append(pair)
        seen.update(pair)
    for (good, bad), split in zip(kept, draw_splits(len(kept), seed=seed), strict=True):
        yield Row(texts=(good,), label="1", split=split)
        yield Row(texts=(bad,), label="0", split=split)


def _paradigms(path: Path) -> Iterator[tuple[str, str]]:
    try:
        if path.suffix == ".zip":
            with ZipFile(path) as archive:
                names = sorted(name for name in archive.namelist() if _is_paradigm(name))
                for name in names:
                    yield name, archive.read(name).decode("utf-8")
        else:
            names = [path.name] if path.is_file() else _names(path)
            folder = path.parent if path.is_file() else path
            for name in names:
                yield name, (folder / name).read_text(encoding="utf-8")
    except (OSError, BadZipFile, UnicodeDecodeError) as error:
        raise CorpusError(f"{path}: cannot be read ({error})") from error
    if not names:
        raise CorpusError(f"{path}: holds no .jsonl file; BLiMP has one for each paradigm")


def _names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.glob("*.jsonl") if _is_paradigm(file.name))


def _is_paradigm(name: str) -> bool:
    # macOS leaves a hidden twin of each file in an archive.
    return name.endswith(".jsonl") and not PurePosixPath(name).name.startswith(".")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())


def _pair(line: str, place: str) -> tuple[str, str]:
    try:
        row = json.loads(line)
        good, bad = (row[name] for name in _FIELDS)
    except (ValueError, KeyError, TypeError):
        raise CorpusError(f"{place}: not a JSON object with {' and '.join(_FIELDS)}") from None
    if not all(isinstance(text, str) and text.strip() for text in (good, bad)):
        raise CorpusError(f"{place}: a sentence is empty or no text")
    return good, bad
