"""From text to token ids."""

from array import array
from collections.abc import Iterable, Sequence

import numpy as np

from posprobe.core.errors import CorpusError
from posprobe.data.documents import Document
from posprobe.data.token_set import TokenSet
from posprobe.data.tokenizer import Tokenizer


def encode_documents(
    documents: Iterable[Document],
    tokenizer: Tokenizer,
    *,
    name: str,
    n_ctx: int,
    min_tokens: int = 1,
    limit: int | None = None,
    d_vocab: int | None = None,
) -> TokenSet:
    """Turn a stream of documents into token ids, one sequence per document.

    Each sequence starts where its document starts; none holds two documents. Only ids
    are kept, four bytes each.

    Args:
        documents: The documents; they are read once, and no further than `limit` asks.
        tokenizer: Adds the special tokens that the model expects.
        name: What is read, for the report.
        n_ctx: Longest sequence, at least 1. A longer document is cut; if its last token
            is special ([SEP]), that token still closes it.
        min_tokens: Shortest sequence worth keeping, special tokens included, at least 1.
        limit: How many documents to keep. None: all.
        d_vocab: Rows of the model's token table. None: not checked.

    Raises:
        CorpusError: If the tokenizer has more ids than the model, a character is not in
            the vocabulary, or no document is long enough.
    """
    _check(tokenizer, d_vocab, name=name, n_ctx=n_ctx, min_tokens=min_tokens, limit=limit)
    if min_tokens > n_ctx:
        raise CorpusError(f"{name}: min_tokens={min_tokens} is more than the context, {n_ctx}")
    special = frozenset(tokenizer.special_ids)
    ids, lengths, kept = array("i"), array("q"), array("q")
    truncated = read = 0
    for index, document in enumerate(documents):
        read += 1
        full = _encode(document.text, tokenizer, document.name or f"document {index}")
        sequence = [full[place] for place in kept_places(full, n_ctx, special)]
        if len(sequence) < min_tokens:
            continue
        truncated += len(full) > n_ctx
        ids.extend(sequence)
        lengths.append(len(sequence))
        kept.append(index)
        if len(kept) == limit:
            break
    if not kept:
        raise CorpusError(_nothing(name, read, min_tokens))
    return TokenSet(
        name=name,
        ids=np.frombuffer(ids, dtype=np.int32),
        lengths=np.frombuffer(lengths, dtype=np.int64),
        documents=np.frombuffer(kept, dtype=np.int64),
        special_ids=tokenizer.special_ids,
        truncated=truncated,
        too_short=read - len(kept),
    )


def encode_prompts(
    prompts: Sequence[str],
    tokenizer: Tokenizer,
    *,
    name: str,
    n_ctx: int,
    d_vocab: int | None = None,
) -> TokenSet:
    """Turn prompts into token ids; none is cut or left out.

    Args:
        prompts: What the model reads, at least one.
        tokenizer: Adds the special tokens that the model expects.
        name: The task, for the report.
        n_ctx: Longest sequence the model takes.
        d_vocab: Rows of the model's token table. None: not checked.

    Raises:
        CorpusError: If there is no prompt, one does not fit in the context or has a
            character that is not in the vocabulary, or the tokenizer has more ids than
            the model.
    """
    _check(tokenizer, d_vocab, name=name, n_ctx=n_ctx)
    sequences = [_encode(prompt, tokenizer, f"prompt {prompt!r}") for prompt in prompts]
    longest = max(map(len, sequences), default=0)
    if not longest or longest > n_ctx:
        raise CorpusError(
            f"{name}: the longest prompt has {longest} tokens; the model takes 1 to {n_ctx}"
        )
    return TokenSet(
        name=name,
        ids=np.array([index for sequence in sequences for index in sequence], dtype=np.int32),
        lengths=np.array([len(sequence) for sequence in sequences]),
        documents=np.arange(len(sequences)),
        special_ids=tokenizer.special_ids,
    )


def kept_places(ids: list[int], n_ctx: int, special: frozenset[int]) -> Sequence[int]:
    """Say which tokens of a sequence are kept when it is cut at the context.

    The first ones; but if the last token is special, that one still closes the sequence.

    >>> list(kept_places([1, 7, 8, 9, 2], 3, frozenset({1, 2})))
    [0, 1, 4]
    """
    if len(ids) <= n_ctx:
        return range(len(ids))
    return [*range(n_ctx - 1), len(ids) - 1 if ids[-1] in special else n_ctx - 1]


def _check(tokenizer: Tokenizer, d_vocab: int | None, *, name: str, **counts: int | None) -> None:
    for argument, value in counts.items():
        if value is not None and value < 1:
            raise CorpusError(f"{name}: {argument}={value} must be at least 1")
    if d_vocab is not None and tokenizer.size > d_vocab:
        raise CorpusError(
            f"tokenizer {tokenizer.name} has {tokenizer.size} ids, the model only {d_vocab}; "
            "name the tokenizer the model was trained with by --tokenizer"
        )


def _encode(text: str, tokenizer: Tokenizer, what: str) -> list[int]:
    try:
        return tokenizer.encode(text)
    except CorpusError as error:
        raise CorpusError(f"{what}: {error}") from error


def _nothing(name: str, read: int, min_tokens: int) -> str:
    if not read:
        return f"corpus {name}: holds no document"
    return (
        f"corpus {name}: none of {read} documents has {min_tokens} tokens or more; "
        "ask for fewer tokens, or give longer documents"
    )
