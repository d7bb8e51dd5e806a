"""Writing data sets in the form that the Holmes benchmark has on disk."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from posprobe.core.files import atomic_folder
from posprobe.data.holmes.dataset import SPLITS, Kind, Split
from posprobe.data.holmes.folder import SAMPLES

Places = tuple[tuple[str, int, int, int], ...]
"""Words, number of the text, first character and last + 1, one entry per input."""

SHARES = (0.6, 0.2, 0.2)
"""Of the documents or minimal pairs: to learn from, to be stopped by, to be examined on."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One sample.

    Attributes:
        texts: The inputs themselves, or the texts that hold them.
        label: A class by its name, or a number.
        split: What it is for.
        places: Where the inputs stand; empty if they are whole texts.
    """

    texts: tuple[str, ...]
    label: str | float
    split: Split
    places: Places = ()


def draw_splits(count: int, *, seed: int) -> list[Split]:
    """Deal documents or minimal pairs out to the three splits, at random.

    Args:
        count: How many, at least 3 for none to be empty.
        seed: Seed of the order.

    >>> from collections import Counter
    >>> Counter(draw_splits(10, seed=0))
    Counter({'train': 6, 'dev': 2, 'test': 2})
    """
    cuts = np.round(np.cumsum(SHARES[:2]) * count).astype(int)
    place = np.searchsorted(cuts, np.arange(count), side="right")
    return [SPLITS[part] for part in np.random.default_rng(seed).permutation(place)]


def write_dataset(folder: Path, rows: Sequence[Row], *, kind: Kind) -> Path:
    """Write `samples.csv` and `config-none.yaml`, which the benchmark's own scripts read too.

    Args:
        folder: Where; its name is the data set's. What was there is replaced.
        rows: The samples.
        kind: Whether labels are classes, which are numbered by name, or numbers.
    """
    classes = sorted({str(row.label) for row in rows}) if kind == "class" else []
    index = {name: number for number, name in enumerate(classes)}
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["id", "inputs", "context", "label", "org_label", "set-0"])
    for number, row in enumerate(rows):
        inputs = repr(list(row.places or row.texts))
        context = repr(list(row.texts)) if row.places else ""
        label = index[str(row.label)] if kind == "class" else row.label
        writer.writerow([number, inputs, context, label, row.label, row.split])
    with atomic_folder(folder) as temporary:
        (temporary / SAMPLES).write_text(table.getvalue(), encoding="utf-8")
        (temporary / "config-none.yaml").write_text(
            _config(folder.name, rows[0], len(classes) if kind == "class" else 1), encoding="utf-8"
        )
    return folder


def _config(name: str, row: Row, num_labels: int) -> str:
    if row.places:
        task = "SENTENCE_TOKENS" if len(row.texts) == 1 else "SENTENCE_PAIR_TOKENS_BI"
    else:
        task = "SENTENCE" if len(row.texts) == 1 else "SENTENCE_PAIR_BI"
    facts = {
        "probe_name": name,
        "probe_task_type": task,
        "num_labels": num_labels,
        "control_task_type": "NONE",
    }
    return "".join(f"{key}: {value}\n" for key, value in facts.items())
