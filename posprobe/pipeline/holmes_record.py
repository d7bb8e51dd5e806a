"""What is kept of finished data sets, so that no run measures them twice."""

import hashlib
import json
import tempfile
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

from posprobe.analysis.holmes import DatasetScore
from posprobe.core.errors import UserError
from posprobe.core.files import sha256, strict_json, write_text
from posprobe.core.provenance import TokenSource
from posprobe.core.reading import from_plain
from posprobe.core.result import plain
from posprobe.data.holmes import dataset_hash
from posprobe.data.tokenizer import Tokenizer
from posprobe.pipeline.holmes_options import HolmesOptions
from posprobe.pipeline.holmes_subject import Subject

FORM = 1
"""Version of the records; a change of their form or of the measure raises it."""

_WITHOUT_EFFECT = ("data", "only", "map", "cache", "init", "tokenizer", "trust_pickle")
"""Options that do not change a data set's score, or that the hashes speak for."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """A finished data set.

    Attributes:
        tokens: What the model ran on.
        scores: One per place.
    """

    tokens: TokenSource
    scores: tuple[DatasetScore, ...]


class Records:
    """The finished data sets of one model: a file for each.

    A file's name has a hash of all that decides a score: the weights, the vocabulary, the data,
    the sites and the options. Where these lie and what they are called does not matter.
    """

    def __init__(self, subject: Subject, chosen: HolmesOptions) -> None:
        """Find the folder of the records; without one, nothing is kept.

        Args:
            subject: The model.
            chosen: The options.
        """
        self._folder = None if chosen.cache is None else Path(chosen.cache).expanduser()
        tokenizer = subject.model.tokenizer
        assert tokenizer is not None, "asked for before"
        self._key = {
            "form": FORM,
            "posprobe": version("posprobe"),
            "checkpoint": subject.model.source.sha256,
            "format": subject.model.source.format,
            "vocabulary": _vocabulary_hash(tokenizer),
            "condition": subject.condition,
            "places": dict(subject.places),
            "options": {k: v for k, v in asdict(chosen).items() if k not in _WITHOUT_EFFECT},
        }

    def load(self, dataset: Path) -> Record | None:
        """Read the record of a data set; None if there is none, or a damaged one.

        Args:
            dataset: The data set's folder.
        """
        if self._folder is None:
            return None
        path, _ = self._place(self._folder, dataset)
        try:
            read = json.loads(path.read_text(encoding="utf-8"))
            known = {field.name: read[field.name] for field in fields(Record)}
            return from_plain(Record, known, where=str(path))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def save(self, dataset: Path, record: Record) -> None:
        """Write the record of a data set, whole or not at all.

        Args:
            dataset: The data set's folder.
            record: What was measured.

        Raises:
            UserError: If it cannot be written.
        """
        if self._folder is None:
            return
        path, key = self._place(self._folder, dataset)
        try:
            write_text(path, strict_json({"key": key, **plain(record)}) + "\n")
        except OSError as error:
            raise UserError(f"--cache {self._folder}: cannot be written ({error})") from error

    def _place(self, folder: Path, dataset: Path) -> tuple[Path, dict[str, Any]]:
        key = {**self._key, "data": dataset_hash(dataset)}
        digest = hashlib.sha256(strict_json(key).encode()).hexdigest()
        return folder / f"{dataset.resolve().name}-{digest[:16]}.json", key


def _vocabulary_hash(tokenizer: Tokenizer) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return sha256(tokenizer.save(Path(folder) / "tokenizer.json"))
