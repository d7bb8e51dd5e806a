"""Text and tokens made on the spot, for when there is no corpus."""

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Int

from posprobe.core.errors import CorpusError
from posprobe.data.documents import Document
from posprobe.data.grammar import Grammar
from posprobe.data.topics import TOPICS

Paragraph = tuple[str, ...]


def generate_documents(
    n: int, *, seed: int, words: tuple[int, int] = (160, 320)
) -> Iterator[Document]:
    """Write documents in plain English words that have structure and no meaning.

    A document has a title, sections with a heading, paragraphs and sentences, and closes
    with a paragraph that sums up. Its words come from one topic; determiners, verbs and
    pronouns agree with their noun; sentences open by where they stand (a section's first,
    a middle or its last paragraph; inside or at the end of a paragraph). A heading is a
    paragraph of one sentence. Letters are ASCII.

    Document i depends on the seed and i alone: more documents begin with the same ones.

    Args:
        n: How many documents, at least 1.
        seed: Seed, at least 0.
        words: Shortest and longest document to aim at, in words. A document is never
            shorter than its aim, and longer by less than a paragraph (100 words). Every
            subword tokenizer makes at least one token of a word, so `(512, 600)` fills
            512 positions.

    Returns:
        The documents, written while they are asked for.

    Raises:
        CorpusError: If `n` or a length is below 1, or the range is empty.

    >>> a, b = generate_documents(2, seed=0)
    >>> a.text == b.text
    False
    """
    shortest, longest = words
    if n < 1:
        raise CorpusError(f"generated corpus: n={n}; at least 1 document is needed")
    if not 1 <= shortest <= longest:
        raise CorpusError(f"generated corpus: words={words}; give lowest and highest, from 1")
    return (_write(index, seed, shortest, longest) for index in range(n))


def random_tokens(
    n: int,
    *,
    length: int,
    vocab_size: int,
    exclude: Sequence[int] = (),
    seed: int | np.random.Generator,
) -> Int[np.ndarray, "sample pos"]:
    """Draw token ids uniformly, for a model that comes without a vocabulary.

    Args:
        n: How many sequences.
        length: Tokens in each.
        vocab_size: Size of the model's vocabulary.
        exclude: Ids never drawn, such as padding and other special tokens.
        seed: Seed or generator.

    Raises:
        CorpusError: If nothing is left to draw from, or `n` or `length` is below 1.

    >>> sorted(set(random_tokens(5, length=9, vocab_size=3, exclude=(0,), seed=0).ravel().tolist()))
    [1, 2]
    """
    allowed = np.setdiff1d(np.arange(vocab_size), np.asarray(exclude, dtype=np.int64))
    if n < 1 or length < 1 or not allowed.size:
        raise CorpusError(
            f"random tokens: n={n}, length={length}, vocab_size={vocab_size} with "
            f"{len(exclude)} ids excluded leaves nothing to draw"
        )
    draws = np.random.default_rng(seed).integers(0, allowed.size, size=(n, length))
    return allowed[draws]


def _write(index: int, seed: int, shortest: int, longest: int) -> Document:
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, index])))
    aim = shortest + int(rng.random() * (longest - shortest + 1))
    topic = TOPICS[int(rng.random() * len(TOPICS))]
    grammar = Grammar(topic, rng)
    title = grammar.title()
    paragraphs: list[Paragraph] = [(f"This text is about {topic.name}.",)]
    # The closing is written first, so that its length is known when the middle is filled.
    closing = _paragraph(grammar, rng, "closing")
    missing = aim - _count(title, *paragraphs[0], *closing)
    for block in _blocks(grammar, rng):
        if missing <= 0:
            break
        paragraphs.extend(block)
        missing -= sum(_count(*paragraph) for paragraph in block)
    return Document((*paragraphs, closing), title=title, name=f"generated {index}")


def _blocks(grammar: Grammar, rng: np.random.Generator) -> Iterator[tuple[Paragraph, ...]]:
    """Give paragraphs without end, the first of each section together with its heading."""
    while True:
        heading = (f"About the {grammar.noun()} and the {grammar.noun()}",)
        yield heading, _paragraph(grammar, rng, "start")
        last = 1 + int(rng.random() * 3)
        for number in range(1, last + 1):
            yield (_paragraph(grammar, rng, "end" if number == last else "middle"),)


def _paragraph(grammar: Grammar, rng: np.random.Generator, opening: str) -> Paragraph:
    grammar.begin_paragraph()
    last = 1 + int(rng.random() * 3)
    places = [opening, *["inner"] * (last - 1), "last"]
    return tuple(grammar.sentence(place) for place in places)


def _count(*sentences: str) -> int:
    return sum(len(sentence.split()) for sentence in sentences)
