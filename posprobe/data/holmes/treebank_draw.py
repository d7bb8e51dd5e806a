"""From the documents of treebanks to data sets of a bounded size."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from posprobe.core.errors import CorpusError
from posprobe.data.conllu import read_conllu
from posprobe.data.holmes.dataset import SPLITS, Kind
from posprobe.data.holmes.item import Item
from posprobe.data.holmes.reservoir import Reservoir
from posprobe.data.holmes.sentences import treebank_sentences
from posprobe.data.holmes.treebank import TREEBANK_TASKS
from posprobe.data.holmes.writing import SHARES, Row, draw_splits

RARE = 10
"""A label with fewer samples is left out: hardly any of them would be examined."""


def treebank_datasets(
    paths: Sequence[Path], *, samples: int, seed: int
) -> Iterator[tuple[str, list[Row], Kind]]:
    """Make every data set of `TREEBANK_TASKS` that the treebanks are annotated for.

    Whole documents are dealt out to the splits, never sentences.

    Args:
        paths: CoNLL-U files with `# newdoc`, compressed or not.
        samples: Most samples of a data set, at least 10.
        seed: Seed of the splits and of the draw.

    Yields:
        A name, the rows, and what their labels are.

    Raises:
        CorpusError: If a file cannot be read, or there are fewer than three documents.
    """
    count = sum(1 for path in paths for _ in read_conllu(path))
    if count < len(SPLITS):
        named = ", ".join(map(str, paths))
        raise CorpusError(f"{named}: {count} documents; the three splits need at least 3")
    kept = _draw(paths, draw_splits(count, seed=seed), samples=samples, seed=seed)
    for name, task in TREEBANK_TASKS.items():
        rows = [
            _row(item, place) for place in range(len(SPLITS)) for item in kept[name, place].items()
        ]
        frequent = Counter(row.label for row in rows)
        if task.kind == "class":
            rows = [row for row in rows if frequent[row.label] >= RARE]
        several = len({row.label for row in rows}) > 1
        if several and {row.split for row in rows} == set(SPLITS):
            yield name, rows, task.kind


def _draw(
    paths: Sequence[Path], splits: Sequence[str], *, samples: int, seed: int
) -> dict[tuple[str, int], Reservoir[Item]]:
    """Go through the documents once; only what is drawn is held."""
    generator = np.random.default_rng(seed)
    kept = {
        (name, place): Reservoir[Item](round(share * samples), generator)
        for name in TREEBANK_TASKS
        for place, share in enumerate(SHARES)
    }
    documents = (item for path in paths for item in read_conllu(path, annotated=True))
    for document, split in zip(documents, splits, strict=True):
        sentences = list(treebank_sentences(document))
        for name, task in TREEBANK_TASKS.items():
            for item in task.make(sentences, generator):
                kept[name, SPLITS.index(split)].offer(item)
    return kept


def _row(item: Item, place: int) -> Row:
    return Row(
        texts=item.texts,
        label=item.label,
        split=SPLITS[place],
        places=tuple(
            (item.texts[text][start:end], text, start, end) for text, start, end in item.places
        ),
    )
