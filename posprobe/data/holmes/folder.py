"""Reading the Holmes benchmark's data sets from a folder, one subfolder each."""

import math
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from posprobe.core.errors import CorpusError
from posprobe.core.files import sha256
from posprobe.data.holmes.dataset import SPLITS, HolmesDataset, Kind, Part
from posprobe.data.holmes.rows import RowReader

SAMPLES = "samples.csv"
_NEEDED = ("inputs", "label", "set-0")
_NUM_LABELS = re.compile(r"^num_labels\s*:\s*['\"]?(\d+)", re.MULTILINE)


def list_datasets(folder: Path, *, only: Sequence[str] = ()) -> list[Path]:
    """List the data sets of a folder, by name.

    Args:
        folder: It has one subfolder with a `samples.csv` for each, or is one itself.
        only: Names, or patterns such as `blimp-*`; none: all.

    Raises:
        CorpusError: If there is no such folder, it holds no data set, or a name finds none.
    """
    if not folder.is_dir():
        raise CorpusError(f"--data {folder}: no such folder")
    if (folder / SAMPLES).is_file():
        found = [folder]
    else:
        found = sorted(path.parent for path in folder.glob(f"*/{SAMPLES}"))
    if not found:
        raise CorpusError(
            f"--data {folder}: holds no data set; each is a subfolder with a {SAMPLES}, as the "
            "benchmark's download or `posprobe holmes-data` makes them"
        )
    for name in only:
        if not any(fnmatchcase(path.name, name) for path in found):
            known = ", ".join(path.name for path in found[:5])
            raise CorpusError(f"--only {name}: {folder} has no such data set; it has {known}, …")
    wanted = [path for path in found if any(fnmatchcase(path.name, name) for name in only)]
    return wanted if only else found


def read_dataset(folder: Path) -> HolmesDataset:
    """Read one data set.

    `samples.csv` has the columns `inputs`, `label`, `set-0` (train, dev or test; a row without
    one is not used) and, where places in texts are meant, `context`. `inputs` is a Python list:
    of texts, or of (words, number of the text in `context`, first character, last character + 1)
    and, where several such places make one input, its number. Several inputs are put one after
    the other. `num_labels: 1` in the `config….yaml` beside it says that labels are numbers;
    without such a file they are if one of them is not whole.

    Raises:
        CorpusError: If the file or one of its rows is not so; the message names the row, counted
            from 1 after the line with the names of the columns.
    """
    path = folder / SAMPLES
    frame = _read(path)
    texts: dict[str, int] = {}
    reader = RowReader(path, texts)
    used = [number for number, name in enumerate(frame["set-0"], start=1) if name]
    samples: list[tuple[Part, ...]] = []
    split: list[int] = []
    columns = zip(frame["inputs"], frame["context"], frame["set-0"], strict=True)
    for number, (inputs, context, name) in enumerate(columns, start=1):
        if not name:
            continue
        if name not in SPLITS:
            raise CorpusError(f"{path}: row {number}: set-0 is {name!r}; want train, dev or test")
        samples.append(reader.sample(inputs, context, number))
        split.append(SPLITS.index(name))
    given = [frame["label"].iloc[number - 1] for number in used]
    kind = _kind(folder, given)
    labels, classes = _labels(path, kind, given, used)
    missing = [name for place, name in enumerate(SPLITS) if place not in split]
    if missing:
        raise CorpusError(f"{path}: no row has set-0 = {missing[0]}; a probe needs all three")
    return HolmesDataset(
        name=folder.resolve().name,
        kind=kind,
        texts=tuple(texts),
        samples=tuple(samples),
        labels=labels,
        classes=classes,
        split=np.array(split),
        sha256=dataset_hash(folder),
        unused=len(frame) - len(used),
    )


def dataset_hash(folder: Path) -> str:
    """Hash a data set's files."""
    return sha256(folder / SAMPLES, *_configs(folder))


def _read(path: Path) -> pd.DataFrame:
    try:
        frame = pd.read_csv(path, dtype=str, na_filter=False, encoding="utf-8")
    except (OSError, ValueError) as error:  # pandas' own errors are ValueErrors
        reason = " ".join(str(error).split())
        raise CorpusError(f"{path}: cannot be read as CSV ({reason}); mend the file") from error
    lacking = [name for name in _NEEDED if name not in frame.columns]
    if lacking:
        has = ", ".join(map(str, frame.columns))
        raise CorpusError(f"{path}: no column {lacking[0]!r}; it has {has}")
    if "context" not in frame.columns:
        frame["context"] = ""
    return frame


def _configs(folder: Path) -> list[Path]:
    return sorted(folder.glob("config*.yaml"))


def _kind(folder: Path, labels: Sequence[str]) -> Kind:
    for config in _configs(folder):
        found = _NUM_LABELS.search(config.read_text(encoding="utf-8", errors="replace"))
        if found:
            return "number" if int(found.group(1)) == 1 else "class"
    numbers = [_number(label) for label in labels]
    if any(number is None for number in numbers):
        return "class"
    return "number" if any(number != round(number) for number in numbers if number) else "class"


def _labels(
    path: Path, kind: Kind, given: Sequence[str], rows: Sequence[int]
) -> tuple[Any, tuple[str, ...]]:
    for row, label in zip(rows, given, strict=True):
        if not label:
            raise CorpusError(f"{path}: row {row}: no label; fill it in or remove the row")
        if kind == "number" and _number(label) is None:
            raise CorpusError(
                f"{path}: row {row}: label {label!r} is no number; mend it, or set num_labels in "
                "the config file to the number of classes"
            )
    if kind == "number":
        return np.array([float(label) for label in given]), ()
    classes = tuple(sorted(set(given)))
    index = {label: place for place, label in enumerate(classes)}
    return np.array([index[label] for label in given]), classes


def _number(label: str) -> float | None:
    try:
        number = float(label)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
