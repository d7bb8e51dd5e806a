"""Making Holmes data sets without a network, from BLiMP and from treebanks."""

from collections.abc import Iterator
from pathlib import Path

from posprobe.core.errors import UserError
from posprobe.core.files import require_writable
from posprobe.data.holmes.blimp import blimp_datasets
from posprobe.data.holmes.dataset import Kind
from posprobe.data.holmes.treebank_draw import treebank_datasets
from posprobe.data.holmes.writing import Row, write_dataset

MIN_SAMPLES = 30
"""With fewer samples hardly any class would be in all three splits."""


def holmes_data(
    *sources: str | Path, out: str | Path, samples: int = 4000, seed: int = 0
) -> list[Path]:
    """Turn BLiMP and CoNLL-U treebanks into data sets that `holmes` reads.

    BLiMP's paradigms become the data sets that Flash-Holmes has of them: is a sentence good or
    bad? The pairs and their splits are ours, so scores are near those of the benchmark but not
    the same. A treebank gives words (part of speech, number, tense, dependency), sentences (type,
    depth, negation), pairs of sentences (order, next), and from UD GUM's annotation named entities
    and discourse relations. All treebanks named are used together. Splits are 60/20/20 %; minimal
    pairs and documents are never divided.

    Args:
        *sources: `blimp.zip`, a folder of BLiMP's `.jsonl` files, or `.conllu` files, which may be
            compressed (`.xz`, `.gz`).
        out: Folder of the data sets; those of the same name are replaced.
        samples: Most samples drawn from the treebanks for each data set, at least 30.
        seed: Seed of splits and draws, at least 0.

    Returns:
        The folders of the data sets.

    Raises:
        UserError: If a source is of no such kind or cannot be read.
    """
    if not sources:
        raise UserError("holmes-data: name BLiMP or a treebank")
    if samples < MIN_SAMPLES or seed < 0:
        raise UserError(
            f"--samples {samples}, --seed {seed}: want at least {MIN_SAMPLES} samples, and no "
            "negative seed"
        )
    paths = [Path(source).expanduser() for source in sources]
    for path in paths:
        if not path.exists():
            raise UserError(f"{path}: no such file or folder")
    folder = Path(out).expanduser()
    require_writable(folder, "--out")
    made = [
        write_dataset(folder / name, rows, kind=kind)
        for name, rows, kind in _datasets(paths, samples=samples, seed=seed)
    ]
    if not made:
        raise UserError(f"{paths[0]}: is annotated for none of the data sets")
    return made


def _datasets(
    paths: list[Path], *, samples: int, seed: int
) -> Iterator[tuple[str, list[Row], Kind]]:
    treebanks = [path for path in paths if ".conllu" in path.suffixes]
    for path in paths:
        if path not in treebanks:
            if not (path.is_dir() or path.suffix in (".zip", ".jsonl")):
                raise UserError(f"{path}: neither BLiMP (.zip, .jsonl, a folder) nor .conllu")
            for name, rows in blimp_datasets(path, seed=seed):
                yield name, rows, "class"
    if treebanks:
        yield from treebank_datasets(treebanks, samples=samples, seed=seed)
