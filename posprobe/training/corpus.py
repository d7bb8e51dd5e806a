"""Text made ready for training: a tokenizer, and token ids to learn from and to be examined on."""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from posprobe.core.files import atomic_folder
from posprobe.data.bpe import train_bpe
from posprobe.data.corpora import DOCSTRINGS, INSTALLED, open_corpus
from posprobe.data.documents import Document
from posprobe.data.encoding import encode_documents
from posprobe.data.generated import generate_documents
from posprobe.data.splits import held_out_documents, training_documents
from posprobe.data.subwords import SubwordTokenizer
from posprobe.data.token_set import TokenSet
from posprobe.training.data_config import TextData
from posprobe.training.token_cache import open_tokens, save_tokens
from posprobe.training.writing import writing

GENERATED = 20_000
"""Documents of the generated corpus, where no limit is set."""
VOCABULARY_DOCUMENTS = 100_000
"""Most documents that a vocabulary is learned from; more change it little and take hours."""
_KEY, _TOKENIZER, _TRAIN, _HELD_OUT = "data.json", "tokenizer.json", "train", "held-out"


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """What an encoder is trained on.

    Attributes:
        tokenizer: What made the ids.
        train: The documents to learn from.
        held_out: Those to be examined on.
    """

    tokenizer: SubwordTokenizer
    train: TokenSet
    held_out: TokenSet


def prepare_corpus(data: TextData, *, seed: int, cache: Path, maker: bool = True) -> Corpus:
    """Open the corpus in a folder, after one process has made it there.

    A training that goes on finds the very ids it began with, though the corpus be gone.

    Args:
        data: What to read.
        seed: Seed of a generated corpus.
        cache: The folder; what it holds of other settings is replaced.
        maker: Whether this process makes the corpus, or waits for the one that does.

    Raises:
        CorpusError: If the corpus is missing, or has no document that is long enough.
    """
    key = json.dumps([asdict(data), seed])
    if maker and not _holds(cache, key):
        with writing(cache), atomic_folder(cache) as folder:
            _make(data, seed, folder)
            (folder / _KEY).write_text(key, encoding="utf-8")
    while not _holds(cache, key):
        # No barrier: making a large corpus outlasts any timeout of one.
        time.sleep(0.2)
    return Corpus(
        tokenizer=SubwordTokenizer.from_path(cache / _TOKENIZER),
        train=open_tokens(cache / _TRAIN),
        held_out=open_tokens(cache / _HELD_OUT),
    )


def _holds(cache: Path, key: str) -> bool:
    file = cache / _KEY
    return file.is_file() and file.read_text(encoding="utf-8") == key


def _make(data: TextData, seed: int, folder: Path) -> None:
    name, read = _source(data, seed)
    if data.tokenizer == "bpe":
        some = islice(training_documents(read()), VOCABULARY_DOCUMENTS)
        tokenizer = train_bpe(some, vocab_size=data.vocab_size, template=data.wrap)
    else:
        tokenizer = SubwordTokenizer.from_path(Path(data.tokenizer))
    tokenizer.save(folder / _TOKENIZER)

    def encode(documents: Iterator[Document], part: str, limit: int | None) -> None:
        tokens = encode_documents(
            documents,
            tokenizer,
            name=name,
            n_ctx=data.length,
            min_tokens=data.min_tokens or data.length,
            limit=limit,
        )
        save_tokens(tokens, folder / part)

    encode(training_documents(read()), _TRAIN, None)
    encode(held_out_documents(read()), _HELD_OUT, data.held_out)


def _source(data: TextData, seed: int) -> tuple[str, Callable[[], Iterable[Document]]]:
    """Return a corpus' name, and what reads it from the beginning as often as asked."""
    limit = data.limit or None
    if data.source == "generated":
        return "generated", lambda: generate_documents(limit or GENERATED, seed=seed)
    name, documents = open_corpus(data.source, column=data.column)
    if data.source in (INSTALLED, DOCSTRINGS):
        # A few megabytes that take minutes to gather: kept.
        found = list(islice(documents, limit))
        return name, lambda: found
    return name, lambda: islice(open_corpus(data.source, column=data.column)[1], limit)
