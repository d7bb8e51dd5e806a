"""From a corpus or a task to the token ids a model is run on."""

from dataclasses import replace

import numpy as np
from jaxtyping import Int

from posprobe.core.errors import CorpusError
from posprobe.data.corpora import open_corpus
from posprobe.data.encoding import encode_documents, encode_prompts
from posprobe.data.generated import generate_documents, random_tokens
from posprobe.data.symbolic import TASKS
from posprobe.data.token_set import TokenSet
from posprobe.data.tokenizer import Tokenizer
from posprobe.data.vocabulary import CharVocabulary
from posprobe.models.protocol import Model

RANDOM, GENERATED = "random-tokens", "generated"
USUAL_LENGTH = 512
SPARE_CHARACTERS, SPARE_SUBWORDS = 4, 128


def corpus_tokens(
    model: Model,
    corpus: str | None,
    *,
    documents: int,
    seed: int,
    length: int | None = None,
    min_tokens: int = 3,
) -> TokenSet:
    """Read, generate or draw documents, as token ids for `model`.

    Args:
        model: Whose tokenizer and context count.
        corpus: `generated` (also None), `random-tokens`, or what `open_corpus` knows: a path,
            `installed`, `hf:…`.
        documents: How many, at most.
        seed: Seed of what is generated.
        length: Longest sequence. None: the model's context, up to 512 tokens, since a corpus
            that fills the context of a recent model would take hours.
        min_tokens: Shortest sequence worth keeping.

    Raises:
        CorpusError: If the corpus cannot be read, the model has no tokenizer, or no document
            is long enough.
    """
    longest = longest_sequence(model, length)
    if corpus == RANDOM:
        rows = random_tokens(
            documents,
            length=longest,
            vocab_size=model.info.d_vocab,
            exclude=special_ids(model),
            seed=seed,
        )
        return TokenSet.from_rows(rows, name="random token ids", special_ids=special_ids(model))
    if corpus in (None, GENERATED):
        name = f"generated documents (seed {seed})"
        # A word is at least one token, so these fill the context.
        stream = generate_documents(documents, seed=seed, words=(longest, longest + longest // 4))
    else:
        # A word of installed text makes about 1.85 tokens of a small vocabulary.
        name, stream = open_corpus(corpus, min_words=max(1, round(0.58 * longest)))
    tokens = encode_documents(
        stream,
        fitting_tokenizer(model),
        name=name,
        n_ctx=longest,
        min_tokens=min_tokens,
        limit=documents,
        d_vocab=model.info.d_vocab,
    )
    return replace(tokens, special_ids=special_ids(model))


def task_tokens(
    model: Model, task: str, *, prompts: int, seed: int, front_pad: int | None = None
) -> TokenSet:
    """Draw prompts of a symbolic task, as token ids for `model`.

    Raises:
        CorpusError: If the model has no tokenizer or its vocabulary lacks a character.
    """
    # Padding makes lines of different lengths alike, so there must be some.
    variable = front_pad is not None
    drawn = TASKS[task].prompts(prompts, seed=seed, variable=variable, front_pad=front_pad)
    tokens = encode_prompts(
        drawn,
        fitting_tokenizer(model),
        name=f"{task} prompts (seed {seed})",
        n_ctx=model.info.n_ctx,
        d_vocab=model.info.d_vocab,
    )
    return replace(tokens, special_ids=special_ids(model))


def alike(tokens: TokenSet) -> Int[np.ndarray, "sample pos"]:
    """Keep the sequences of the commonest length, with special tokens in the same places.

    Only those can be compared position by position.
    """
    groups: dict[tuple[int, bytes], list[np.ndarray]] = {}
    for row in tokens:
        special = np.isin(row, tokens.special_ids)
        groups.setdefault((len(row), special.tobytes()), []).append(row)
    return np.stack(max(groups.values(), key=len))


def only_alike(tokens: TokenSet) -> TokenSet:
    """Keep the sequences that `alike` keeps, and say in the name if those are not all."""
    rows = alike(tokens)
    if len(rows) == len(tokens):
        return tokens
    name = f"{tokens.name}, the {len(rows)} of {len(tokens)} alike in length and special tokens"
    return TokenSet.from_rows(rows, name=name, special_ids=tokens.special_ids)


def permuted(
    rows: Int[np.ndarray, "sample pos"], special: tuple[int, ...], *, seed: int
) -> Int[np.ndarray, "sample pos"]:
    """Put each sequence's tokens in random order; special tokens stay where they are."""
    rng = np.random.default_rng(seed)
    mixed = rows.copy()
    for row in mixed:
        text = np.flatnonzero(~np.isin(row, special))
        row[text] = row[rng.permutation(text)]
    return mixed


def special_ids(model: Model) -> tuple[int, ...]:
    """Return the ids that are not text, by the configuration or by the tokenizer."""
    named = model.tokenizer.special_ids if model.tokenizer else ()
    return tuple(sorted({*model.info.special_ids, *named}))


def longest_sequence(model: Model, length: int | None) -> int:
    """Return how many tokens of a document are read: `length`, or what is usual.

    Raises:
        CorpusError: If the model cannot read so many.
    """
    if length is None:
        return min(model.info.n_ctx, USUAL_LENGTH)
    if length > model.info.n_ctx:
        raise CorpusError(
            f"--length {length}: {model.source.ref} reads at most {model.info.n_ctx} tokens"
        )
    return length


def fitting_tokenizer(model: Model) -> Tokenizer:
    """Return the model's tokenizer, if it can be the model's.

    Raises:
        CorpusError: If there is none, or one of another size.
    """
    tokenizer = model.tokenizer
    if tokenizer is None:
        raise CorpusError(
            f"{model.source.ref}: has no vocabulary beside it; name one by --tokenizer, "
            "or use --corpus random-tokens"
        )
    # Tables are padded to a round number of rows; character tables hardly ever.
    spare = SPARE_CHARACTERS if isinstance(tokenizer, CharVocabulary) else SPARE_SUBWORDS
    if not 0 <= model.info.d_vocab - tokenizer.size <= spare:
        raise CorpusError(
            f"vocabulary {tokenizer.name} has {tokenizer.size} ids, {model.source.ref} "
            f"{model.info.d_vocab}; name the one it was trained with by --tokenizer"
        )
    return tokenizer
