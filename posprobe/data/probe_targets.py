"""What probes read from the state of a token: where it stands, and what it is."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Int

from posprobe.core.errors import CorpusError
from posprobe.data.annotation import Annotation
from posprobe.data.documents import Document
from posprobe.data.encoding import kept_places
from posprobe.data.target_names import UPOS
from posprobe.data.token_positions import NOWHERE, Places, TokenPositions, token_positions
from posprobe.data.tokenizer import OffsetTokenizer


@dataclass(frozen=True, kw_only=True, eq=False)
class ProbeTargets:
    """The targets of one document's tokens.

    Attributes:
        ids: The token ids, as `encode_documents` makes them.
        counted: Which tokens are probed: those of text that stand in a sentence. They are the
            same for every target.
        labels: One row per target: a number, or the place of a class in `CLASSES`. Tokens that
            are not counted have one too, but it means nothing.
        cut: Whether the document goes on.
    """

    ids: Int[np.ndarray, " pos"]
    counted: Bool[np.ndarray, " pos"]
    labels: Int[np.ndarray, "target pos"]
    cut: bool


def probe_targets(
    document: Document,
    tokenizer: OffsetTokenizer,
    *,
    targets: Sequence[str],
    special_ids: Sequence[int],
    n_ctx: int,
) -> ProbeTargets:
    """Label the tokens of a document.

    - `token`: place in the sequence, from 0, as the model counts: special tokens and a title
      before it count.
    - `to-end`: tokens to the last counted one of the sequence, which has 0.
    - `sentence`, `paragraph`: number in the document, from 0.
    - `within-sentence`, `within-paragraph`: place in it, in tokens, from 0.
    - `boundary`: `last` for the last token of a sentence, else `inside`. Where the sequence is
      cut inside a sentence, its last token is `inside`.
    - `upos`: part of speech of the word; every token of a word has it. Tokens between words
      have `_`.

    Args:
        document: The document, annotated for `upos`.
        tokenizer: The model's.
        targets: Names from `target_names.TARGETS`.
        special_ids: Tokens that are not text.
        n_ctx: Longest sequence; a longer one is cut as `encode_documents` cuts it.

    Raises:
        CorpusError: If the tokenizer cannot spell the text, or a part of speech is asked for
            and missing or unknown.
    """
    # Labelled before the cut, so that the end of the sequence is taken for no sentence's end.
    whole = token_positions(document, tokenizer)
    text = (whole.sentence != NOWHERE) & ~np.isin(whole.ids, special_ids)
    kept = kept_places(whole.ids.tolist(), n_ctx, frozenset(tokenizer.special_ids))
    kept = np.array(kept, dtype=np.int64)
    labels = [_labels(name, whole, text, kept, document) for name in targets]
    return ProbeTargets(
        ids=whole.ids[kept].astype(np.int32),
        counted=text[kept],
        labels=np.stack(labels)[:, kept].astype(np.int32),
        cut=kept.size < whole.ids.size,
    )


def distance_to_last(counted: Bool[np.ndarray, " pos"]) -> Places:
    """Return how many tokens after each one the last counted token stands.

    >>> distance_to_last(np.array([True, True, True, False])).tolist()
    [2, 1, 0, -1]
    """
    last = np.flatnonzero(counted)[-1] if counted.any() else 0
    return last - np.arange(counted.size)


def _labels(
    name: str,
    whole: TokenPositions,
    text: Bool[np.ndarray, " pos"],
    kept: Int[np.ndarray, " kept"],
    document: Document,
) -> Places:
    match name:
        case "token":
            return np.arange(text.size)
        case "to-end":
            return distance_to_last(text & np.isin(np.arange(text.size), kept))
        case "boundary":
            return _ends_sentence(whole.sentence, text).astype(np.int64)
        case "upos":
            return _tags(document.annotation)[whole.word]
        case _:
            return getattr(whole, name.replace("-", "_"))


def _ends_sentence(sentence: Places, text: Bool[np.ndarray, " pos"]) -> Bool[np.ndarray, " pos"]:
    ends = np.zeros(text.size, dtype=bool)
    numbers = sentence[text]
    ends[text] = np.append(numbers[1:] != numbers[:-1], True)[: numbers.size]
    return ends


def _tags(annotation: Annotation | None) -> Int[np.ndarray, " word"]:
    """Return the tag of each word, and one more that a token of no word finds by its -1."""
    if annotation is None:
        raise CorpusError("has no parts of speech; --target upos needs a .conllu corpus")
    unknown = set(annotation.upos) - set(UPOS)
    if unknown:
        raise CorpusError(
            f"{sorted(unknown)[0]!r} is no universal part of speech ({', '.join(UPOS)})"
        )
    return np.array([*map(UPOS.index, annotation.upos), UPOS.index("_")])
