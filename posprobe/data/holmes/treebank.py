"""Data sets from treebanks: words, sentences and pairs of sentences with their labels."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from posprobe.data.holmes.dataset import Kind
from posprobe.data.holmes.discourse import relations
from posprobe.data.holmes.entities import entities
from posprobe.data.holmes.item import Item
from posprobe.data.holmes.sentences import TreebankSentence, Word

Maker = Callable[[Sequence[TreebankSentence], np.random.Generator], Iterator[Item]]
"""Takes the sentences of a document, and makes samples of them."""


@dataclass(frozen=True)
class TreebankTask:
    """How a data set is made from a treebank's documents.

    Attributes:
        make: Makes samples from a document.
        kind: Whether their labels are classes or numbers.
    """

    make: Maker
    kind: Kind = "class"


def _parts_of_speech(sentence: TreebankSentence) -> Iterator[Item]:
    for word in _single(sentence):
        yield _one(sentence, word, word.upos)


def _noun_numbers(sentence: TreebankSentence) -> Iterator[Item]:
    for word in _single(sentence):
        if word.upos == "NOUN" and word.feats.get("Number") in ("Sing", "Plur"):
            yield _one(sentence, word, word.feats["Number"])


def _tenses(sentence: TreebankSentence) -> Iterator[Item]:
    for word in _single(sentence):
        if word.feats.get("VerbForm") == "Fin" and word.feats.get("Tense") in ("Past", "Pres"):
            yield _one(sentence, word, word.feats["Tense"])


def _dependencies(sentence: TreebankSentence) -> Iterator[Item]:
    for word in _single(sentence):
        head = sentence.words[word.head] if word.head >= 0 else None
        if head is not None and head.alone and word.upos != "PUNCT":
            places = ((0, word.start, word.end), (0, head.start, head.end))
            yield Item(texts=(sentence.text,), label=word.deprel, places=places)


def _sentence_types(sentence: TreebankSentence) -> Iterator[Item]:
    # Neither of these says what the sentence is.
    if sentence.type not in ("", "other", "multiple"):
        yield Item(texts=(sentence.text,), label=sentence.type)


def _negations(sentence: TreebankSentence) -> Iterator[Item]:
    negated = any(word.feats.get("Polarity") == "Neg" for word in sentence.words)
    yield Item(texts=(sentence.text,), label="negated" if negated else "plain")


def _depths(sentence: TreebankSentence) -> Iterator[Item]:
    if sentence.words:
        depth = max(_depth(sentence.words, place) for place in range(len(sentence.words)))
        yield Item(texts=(sentence.text,), label=float(depth))


def _depth(words: Sequence[Word], place: int) -> int:
    """Count the heads above a word; a tree that runs in a circle ends where it began."""
    met = {place}
    while (place := words[place].head) >= 0 and place not in met:
        met.add(place)
    return len(met) - 1


def _orders(
    sentences: Sequence[TreebankSentence], generator: np.random.Generator
) -> Iterator[Item]:
    """Pair neighbours, each sentence once; half of the pairs, at random, are swapped."""
    for first, second in zip(sentences[::2], sentences[1::2], strict=False):
        texts = (first.text, second.text)
        if generator.random() < 0.5:
            yield Item(texts=texts, label="in order")
        else:
            yield Item(texts=texts[::-1], label="swapped")


def _followers(
    sentences: Sequence[TreebankSentence], generator: np.random.Generator
) -> Iterator[Item]:
    """Pair each sentence with the next one or, as often, with any other of the document."""
    for place in range(len(sentences) - 1):
        others = [other for other in range(len(sentences)) if other not in (place, place + 1)]
        follows = not others or generator.random() < 0.5
        other = place + 1 if follows else int(generator.choice(others))
        texts = (sentences[place].text, sentences[other].text)
        yield Item(texts=texts, label="next" if follows else "elsewhere")


def _each(make: Callable[[TreebankSentence], Iterator[Item]]) -> Maker:
    def from_document(
        sentences: Sequence[TreebankSentence], generator: np.random.Generator
    ) -> Iterator[Item]:
        return (item for sentence in sentences for item in make(sentence))

    return from_document


def _single(sentence: TreebankSentence) -> Iterator[Word]:
    return (word for word in sentence.words if word.alone)


def _one(sentence: TreebankSentence, word: Word, label: str) -> Item:
    return Item(texts=(sentence.text,), label=label, places=((0, word.start, word.end),))


TREEBANK_TASKS: dict[str, TreebankTask] = {
    "treebank-number": TreebankTask(_each(_noun_numbers)),
    "treebank-pos": TreebankTask(_each(_parts_of_speech)),
    "treebank-dependency": TreebankTask(_each(_dependencies)),
    "treebank-sentence-type": TreebankTask(_each(_sentence_types)),
    "treebank-depth": TreebankTask(_each(_depths), kind="number"),
    "treebank-tense": TreebankTask(_each(_tenses)),
    "treebank-entity": TreebankTask(_each(entities)),
    "treebank-negation": TreebankTask(_each(_negations)),
    "treebank-relation": TreebankTask(relations),
    "treebank-order": TreebankTask(_orders),
    "treebank-next": TreebankTask(_followers),
}
"""What is made of a treebank; sentence types, entities and relations need those of UD GUM."""
