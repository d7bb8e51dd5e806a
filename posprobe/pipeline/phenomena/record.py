"""What is kept of finished data sets, so that no run measures them twice."""

import tempfile
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from posprobe.analysis.holmes import DatasetScore
from posprobe.core.cache import Cache, user_cache
from posprobe.core.errors import UserError
from posprobe.core.files import sha256
from posprobe.core.provenance import TokenSource
from posprobe.data.holmes.folder import dataset_hash
from posprobe.data.tokenizer import Tokenizer
from posprobe.pipeline.phenomena.options import HolmesOptions
from posprobe.pipeline.phenomena.subject import Subject

FORM = 1
"""Version of the records; a change of their form or of the measure raises it."""

_WITHOUT_EFFECT = ("data", "only", "map", "cache", "no_cache", "init", "tokenizer", "trust_pickle")
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
        """Find the folder of the records: what `cache` names, else one in the user's cache.

        Args:
            subject: The model.
            chosen: The options.
        """
        self._folder = _folder(chosen)
        self._named, self._anew = chosen.cache is not None, chosen.no_cache
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
        if self._folder is None or self._anew:
            return None
        return self._folder.load(Record, dataset.resolve().name, self._key_of(dataset))

    def save(self, dataset: Path, record: Record) -> None:
        """Write the record of a data set, whole or not at all.

        Args:
            dataset: The data set's folder.
            record: What was measured.

        Raises:
            UserError: If it cannot be written where `cache` says.
        """
        if self._folder is None:
            return
        try:
            self._folder.save(dataset.resolve().name, self._key_of(dataset), record)
        except OSError as error:
            if not self._named:
                return
            folder = self._folder.folder
            raise UserError(f"--cache {folder}: cannot be written ({error})") from error

    def _key_of(self, dataset: Path) -> dict[str, Any]:
        return {**self._key, "data": dataset_hash(dataset)}


def _folder(chosen: HolmesOptions) -> Cache | None:
    if chosen.cache is not None:
        return Cache(Path(chosen.cache).expanduser())
    kept = user_cache()
    return None if kept is None else Cache(kept.folder / "holmes")


def _vocabulary_hash(tokenizer: Tokenizer) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return sha256(tokenizer.save(Path(folder) / "tokenizer.json"))
