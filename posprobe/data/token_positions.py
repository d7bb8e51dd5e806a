"""In which sentence and paragraph each token of a document stands, and where in it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from posprobe.data.annotation import Annotation
from posprobe.data.documents import Document
from posprobe.data.encoding import kept_places
from posprobe.data.tokenizer import OffsetTokenizer

Places = Int[np.ndarray, " pos"]

NOWHERE = -1


@dataclass(frozen=True, kw_only=True, eq=False)
class TokenPositions:
    """One number per token, from 0; -1 where there is none.

    Special tokens, the title and white space between sentences are in no sentence; they
    are not counted either.

    Attributes:
        ids: The token ids, as `encode_documents` makes them.
        sentence: Sentence of the document.
        paragraph: Paragraph of the document.
        within_sentence: Place in the sentence, in tokens.
        within_paragraph: Place in the paragraph, in tokens.
        word: Word of the document's annotation that the token belongs to; of the words
            of a contraction, the first. -1 everywhere if nothing is annotated.
    """

    ids: Int[np.ndarray, " pos"]
    sentence: Int[np.ndarray, " pos"]
    paragraph: Int[np.ndarray, " pos"]
    within_sentence: Int[np.ndarray, " pos"]
    within_paragraph: Int[np.ndarray, " pos"]
    word: Int[np.ndarray, " pos"]


def token_positions(
    document: Document, tokenizer: OffsetTokenizer, *, n_ctx: int | None = None
) -> TokenPositions:
    """Say where each token of a document stands in its sentence and paragraph.

    A token belongs where its first character that is no white space stands.

    Args:
        document: The document.
        tokenizer: Adds its special tokens, as for a model.
        n_ctx: Longest sequence; a longer one is cut as `encode_documents` cuts it.
            None: all tokens.

    Raises:
        CorpusError: If the tokenizer cannot spell the text.
    """
    text = document.text  # put together once, not for each token
    ids, offsets = tokenizer.encode_with_offsets(text)
    kept = kept_places(ids, n_ctx or max(len(ids), 1), frozenset(tokenizer.special_ids))
    places = np.array([_place(text, *offsets[place]) for place in kept], dtype=np.int64)
    spans = document.spans()
    sentence = _find(places, [span.start for span in spans], [span.end for span in spans])
    # One entry more, which a token that is nowhere finds by its -1.
    paragraphs = np.array([*(span.paragraph for span in spans), NOWHERE])
    paragraph = paragraphs[sentence]
    return TokenPositions(
        ids=np.array([ids[place] for place in kept], dtype=np.int64),
        sentence=sentence,
        paragraph=paragraph,
        within_sentence=_within(sentence),
        within_paragraph=_within(paragraph),
        word=_words(places, document.annotation),
    )


def _place(text: str, start: int, end: int) -> int:
    """Return where a token's first character stands that is no white space, if it has one."""
    space = len(text[start:end]) - len(text[start:end].lstrip())
    return start if start + space == end else start + space


def _find(places: Places, starts: Sequence[int], ends: Sequence[int]) -> Places:
    """Say in which of these stretches of text, which are in order, each place is."""
    found = np.searchsorted(np.asarray(starts, dtype=np.int64), places, side="right") - 1
    inside = (found >= 0) & (places < np.array([*ends, 0])[found])
    return np.where(inside, found, NOWHERE)


def _within(groups: Places) -> Places:
    """Count the tokens of each group, which stand together but for those that are nowhere."""
    counted = groups != NOWHERE
    members = groups[counted]
    within = np.full(groups.size, NOWHERE)
    within[counted] = np.arange(members.size) - np.searchsorted(members, members)
    return within


def _words(places: Places, annotation: Annotation | None) -> Places:
    if annotation is None:
        return np.full(places.size, NOWHERE)
    # Words that the text does not spell have no place, and a contraction has one place.
    spelled, first = np.unique(annotation.start, return_index=True)
    first, spelled = first[spelled >= 0], spelled[spelled >= 0]
    found = _find(places, spelled.tolist(), annotation.end[first].tolist())
    return np.array([*first, NOWHERE])[found]
