"""The documents that probes learn from and those they are examined on."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from posprobe.analysis.shuffling import shuffled_within
from posprobe.core.errors import CorpusError
from posprobe.data.corpora import open_corpus
from posprobe.data.document_folds import HELD_OUT, document_folds
from posprobe.data.documents import Document
from posprobe.data.generated import generate_documents
from posprobe.data.labelled_tokens import LabelledTokens, label_documents
from posprobe.data.random_sequences import random_sequences
from posprobe.data.target_names import NUMBERS, WITHOUT_SENTENCES
from posprobe.data.token_set import TokenSet
from posprobe.data.tokenizer import OffsetTokenizer
from posprobe.models.protocol import Model
from posprobe.pipeline.options import ProbeOptions
from posprobe.pipeline.tokens import (
    GENERATED,
    RANDOM,
    USUAL_LENGTH,
    fitting_tokenizer,
    longest_sequence,
    special_ids,
)

USUAL_TARGETS = tuple(name for name in NUMBERS if name != "to-end")


@dataclass(frozen=True, kw_only=True, eq=False)
class Side:
    """Documents of one side of the split.

    Attributes:
        text: The tokens with their labels.
        shuffled: The labels, dealt out anew among the counted tokens of each document.
        fold: Fold of each document; `HELD_OUT` for the test.
    """

    text: LabelledTokens
    shuffled: Int[np.ndarray, "target pos"]
    fold: Int[np.ndarray, " sample"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ProbeCorpus:
    """All documents, and their two sides."""

    tokens: TokenSet
    train: Side
    test: Side


def open_probe_corpus(model: Model, chosen: ProbeOptions) -> ProbeCorpus:
    """Read or draw the documents, label their tokens, and split them.

    The split depends on the number of documents read and on the seed, so it is the same for
    every model.

    Raises:
        UserError: If there are too few documents, or they have no such targets.
    """
    if chosen.corpus == RANDOM:
        fold = _folds(chosen.documents, chosen)
        labelled = _draw(model, chosen, fold)
    else:
        labelled = _read(model, chosen)
        kept = labelled.tokens
        fold = _folds(len(kept) + kept.too_short, chosen)[kept.documents]
    sides = {held_out: _side(labelled, fold, held_out, chosen) for held_out in (False, True)}
    train, test = sides[False], sides[True]
    if len(test.fold) < 2 or len(np.unique(train.fold)) < chosen.folds:
        raise CorpusError(
            f"corpus {labelled.tokens.name}: too few of its documents have text for every fold "
            "and the test; use more documents"
        )
    return ProbeCorpus(tokens=labelled.tokens, train=train, test=test)


def _folds(n: int, chosen: ProbeOptions) -> Int[np.ndarray, " sample"]:
    return document_folds(n, folds=chosen.folds, test_share=chosen.test_share, seed=chosen.seed)


def _draw(model: Model, chosen: ProbeOptions, fold: Int[np.ndarray, " sample"]) -> LabelledTokens:
    return random_sequences(
        chosen.documents,
        longest=longest_sequence(model, chosen.length),
        vocab_size=model.info.d_vocab,
        targets=tuple(dict.fromkeys(chosen.target)) or WITHOUT_SENTENCES,
        exclude=special_ids(model),
        other_half=fold == HELD_OUT if chosen.disjoint else None,
        seed=chosen.seed,
    )


def _read(model: Model, chosen: ProbeOptions) -> LabelledTokens:
    tokenizer = fitting_tokenizer(model)
    assert isinstance(tokenizer, OffsetTokenizer), tokenizer.name
    name, documents = _documents(chosen)
    return label_documents(
        documents,
        tokenizer,
        name=name,
        targets=tuple(dict.fromkeys(chosen.target)) or USUAL_TARGETS,
        special_ids=special_ids(model),
        n_ctx=longest_sequence(model, chosen.length),
        limit=chosen.documents,
    )


def _documents(chosen: ProbeOptions) -> tuple[str, Iterator[Document]]:
    """Open the corpus: the same documents whatever the model's context."""
    longest = chosen.length or USUAL_LENGTH
    # Of different lengths, or the distance to the end would be the position backwards.
    shortest = max(1, longest // 4)
    if chosen.corpus is None or chosen.corpus == GENERATED:
        words = (shortest, longest)
        stream = generate_documents(chosen.documents, seed=chosen.seed, words=words)
        return f"generated documents (seed {chosen.seed})", stream
    return open_corpus(chosen.corpus, min_words=shortest, annotated="upos" in chosen.target)


def _side(
    labelled: LabelledTokens,
    fold: Int[np.ndarray, " sample"],
    held_out: bool,
    chosen: ProbeOptions,
) -> Side:
    kept = (fold == HELD_OUT) == held_out
    text = labelled.subset(kept)
    shuffled, counted = text.labels.copy(), text.counted
    shuffled[:, counted] = shuffled_within(
        text.document[counted],
        text.labels[:, counted].T.astype(np.float64),
        rng=np.random.default_rng(chosen.seed),
    ).T
    return Side(text=text, shuffled=shuffled, fold=fold[kept])
