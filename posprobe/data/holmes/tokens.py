"""The tokens of a Holmes data set, and which of them make each vector."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

from posprobe.data.encoding import kept_places
from posprobe.data.holmes.dataset import HolmesDataset, Span
from posprobe.data.token_set import TokenSet
from posprobe.data.tokenizer import OffsetTokenizer

Places = Int[np.ndarray, " pos"]


@dataclass(frozen=True, kw_only=True, eq=False)
class HolmesTokens:
    """What a model reads for a data set, and what is averaged afterwards.

    A vector is the mean over the tokens of a span. A sample has parts, a part has spans.

    Attributes:
        tokens: One sequence per text.
        first: Where each text's entries in `position` and `vector` begin; one more at the end.
        position: Places of tokens in their sequences, text after text.
        vector: The vector that the token at each of these places belongs to.
        part: The part that each entry of `source` belongs to, counted over all samples.
        source: The vectors whose mean is that part.
        n_vectors: How many vectors there are.
        n_parts: Parts of each sample.
        complete: For each sample, whether every one of its spans has a token.
        cut: For each sample, whether one of its texts was cut at the context.
    """

    tokens: TokenSet
    first: Int[np.ndarray, " text_1"]
    position: Int[np.ndarray, " entry"]
    vector: Int[np.ndarray, " entry"]
    part: Int[np.ndarray, " use"]
    source: Int[np.ndarray, " use"]
    n_vectors: int
    n_parts: int
    complete: Bool[np.ndarray, " sample"]
    cut: Bool[np.ndarray, " sample"]


@dataclass(frozen=True, kw_only=True, eq=False)
class _Read:
    """One text as tokens: ids, where each begins and ends, and whether some were cut off."""

    ids: Int[np.ndarray, " pos"]
    start: Int[np.ndarray, " pos"]
    end: Int[np.ndarray, " pos"]
    cut: bool


def holmes_tokens(
    dataset: HolmesDataset, tokenizer: OffsetTokenizer, *, n_ctx: int, special: bool
) -> HolmesTokens:
    """Turn a data set's texts into token ids and find the tokens of its spans.

    A token belongs to a span if they share a character.

    Args:
        dataset: The data set.
        tokenizer: Adds its special tokens, as for a model.
        n_ctx: Longest sequence; a longer text is cut as `encode_documents` cuts it.
        special: Whether special tokens count as part of a whole text.

    Raises:
        CorpusError: If the tokenizer cannot spell a text.
    """
    parts = [part for sample in dataset.samples for part in sample]
    spans = {span: index for index, span in enumerate(dict.fromkeys(s for p in parts for s in p))}
    texts = [_read(text, tokenizer, n_ctx) for text in dataset.texts]
    left_out = () if special else tokenizer.special_ids
    members = _members(texts, spans, left_out)
    source = np.array([spans[span] for part in parts for span in part])
    part = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    n_parts = len(dataset.samples[0])
    vector = np.concatenate([own for found in members for _, own in found])
    empty = np.bincount(vector, minlength=len(spans)) == 0
    cut = np.array([texts[span.text].cut for span in spans])
    return HolmesTokens(
        tokens=_token_set(dataset.name, texts, tokenizer),
        first=np.cumsum([0, *(sum(own.size for _, own in found) for found in members)]),
        position=np.concatenate([place for found in members for place, _ in found]),
        vector=vector,
        part=part,
        source=source,
        n_vectors=len(spans),
        n_parts=n_parts,
        complete=~_any(empty[source], part // n_parts, len(dataset)),
        cut=_any(cut[source], part // n_parts, len(dataset)),
    )


def _read(text: str, tokenizer: OffsetTokenizer, n_ctx: int) -> _Read:
    ids, offsets = tokenizer.encode_with_offsets(text)
    kept = list(kept_places(ids, n_ctx, frozenset(tokenizer.special_ids)))
    places = np.array(offsets, dtype=np.int64).reshape(-1, 2)[kept]
    return _Read(
        ids=np.array(ids, dtype=np.int64)[kept],
        start=places[:, 0],
        end=places[:, 1],
        cut=len(ids) > len(kept),
    )


def _members(
    texts: Sequence[_Read], spans: Mapping[Span, int], left_out: Sequence[int]
) -> list[list[tuple[Places, Places]]]:
    """Give, for each text and each span of it, the places of its tokens and its vector."""
    members: list[list[tuple[Places, Places]]] = [[] for _ in texts]
    for span, index in spans.items():
        text = texts[span.text]
        if span.start < 0:
            inside = np.isin(text.ids, left_out, invert=True)
        else:
            # A token that is not in the text has the offsets (-1, -1), and shares nothing.
            inside = (text.start < span.end) & (text.end > span.start)
        places = np.flatnonzero(inside)
        members[span.text].append((places, np.full(places.size, index)))
    return members


def _token_set(name: str, texts: Sequence[_Read], tokenizer: OffsetTokenizer) -> TokenSet:
    return TokenSet(
        name=name,
        ids=np.concatenate([text.ids for text in texts]).astype(np.int32),
        lengths=np.array([text.ids.size for text in texts]),
        documents=np.arange(len(texts)),
        special_ids=tokenizer.special_ids,
        truncated=sum(text.cut for text in texts),
    )


def _any(
    flags: Bool[np.ndarray, " use"], group: Int[np.ndarray, " use"], groups: int
) -> Bool[np.ndarray, " sample"]:
    return np.bincount(group, weights=flags, minlength=groups) > 0
