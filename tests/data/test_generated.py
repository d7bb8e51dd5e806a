import re
from itertools import pairwise

import numpy as np
import pytest

from posprobe.core.errors import CorpusError
from posprobe.data.generated import generate_documents, random_tokens
from posprobe.data.grammar import OPENERS, PLURAL, SINGULAR
from posprobe.data.topics import TOPICS
from posprobe.data.vocabulary import ascii_vocabulary

EXPECTED = """\
The lawful court

This text is about courts.

To sum up, many trials question a lawyer. Moreover, they review all formal lawyers slowly. \
Some written courts with a debt defend many letters. One trial is fair."""


def _words(document):
    return len(document.text.split())


def _openers(document, paragraph, place):
    return document.paragraphs[paragraph][0].startswith(OPENERS[place])


def test_the_same_seed_writes_the_same_documents():
    few, many = list(generate_documents(5, seed=3)), list(generate_documents(9, seed=3))
    assert many[:5] == few
    assert len({document.text for document in many}) == 9
    assert list(generate_documents(5, seed=4)) != few


def test_the_text_of_a_seed_never_changes():
    (document,) = generate_documents(1, seed=0, words=(1, 1))
    assert document.text == EXPECTED


@pytest.mark.parametrize("words", [(128, 128), (512, 600), (1, 300)])
def test_documents_have_the_length_asked_for(words):
    lengths = [_words(document) for document in generate_documents(60, seed=0, words=words)]
    assert min(lengths) >= words[0]
    assert max(lengths) < words[1] + 100
    assert words[0] == words[1] or np.ptp(lengths) > (words[1] - words[0]) / 2


def test_documents_are_written_while_asked_for():
    assert next(generate_documents(10**12, seed=0)).paragraphs


def test_openers_follow_the_place():
    documents = list(generate_documents(40, seed=1, words=(300, 300)))
    assert sum(_openers(d, -1, "closing") for d in documents) > 20
    for document in documents:
        for index, paragraph in enumerate(document.paragraphs):
            heading = index > 0 and document.paragraphs[index - 1][0].startswith("About the")
            assert heading or not _openers(document, index, "start")
            assert index == len(document.paragraphs) - 1 or not _openers(document, index, "closing")
            for sentence in paragraph[:-1]:
                assert not sentence.startswith((*OPENERS["last"][:2], "So "))
            assert not paragraph[0].startswith(OPENERS["inner"])


def test_a_heading_is_never_followed_by_the_closing():
    for document in generate_documents(80, seed=2, words=(20, 200)):
        assert not document.paragraphs[-2][0].startswith("About the ")


def test_determiners_agree_with_their_noun():
    singular, plural = set(SINGULAR) - set(PLURAL), set(PLURAL) - set(SINGULAR)
    nouns = {noun for topic in TOPICS for noun in topic.nouns} - {"patient"}  # also an adjective
    seen = 0
    for document in generate_documents(40, seed=5):
        words = re.findall(r"[a-z-]+", document.text.lower())
        for left, right in pairwise(words):
            if left in singular | {"an"} and (right in nouns or right.removesuffix("s") in nouns):
                assert right in nouns, f"{left} {right}"
                assert (left == "an") == (right[0] in "aeiou") or left != "a"
                seen += 1
            elif left in plural and right.removesuffix("s") in nouns:
                assert right not in nouns, f"{left} {right}"
                seen += 1
    assert seen > 500


def test_a_document_keeps_to_one_topic():
    for document in generate_documents(40, seed=6):
        name = document.paragraphs[0][0].removeprefix("This text is about ").removesuffix(".")
        (topic,) = (topic for topic in TOPICS if topic.name == name)
        others = {noun for other in TOPICS if other is not topic for noun in other.nouns}
        words = set(re.findall(r"[a-z-]+", document.text.lower()))
        assert words & set(topic.nouns)
        known = {*topic.nouns, *topic.verbs, *topic.adjectives, *name.split()}
        assert not words & (others - known - {"guide", "signal"})


def test_plurals_and_verbs_take_a_plain_s():
    for topic in TOPICS:
        assert len(set(topic.nouns)) == len(topic.nouns)
        assert len(set(topic.verbs)) == len(topic.verbs)
        for word in topic.nouns + topic.verbs:
            assert not re.search(r"(s|sh|ch|x|z|f|[^aeiou]y)$", word), word


def test_letters_are_ascii():
    vocabulary = ascii_vocabulary()
    for document in generate_documents(20, seed=0):
        assert vocabulary.encode(document.text)


@pytest.mark.parametrize(("n", "words"), [(0, (1, 2)), (1, (0, 2)), (1, (3, 2))])
def test_impossible_corpora_are_refused(n, words):
    with pytest.raises(CorpusError, match="generated corpus"):
        generate_documents(n, seed=0, words=words)


def test_random_tokens_are_uniform_over_the_allowed_ids():
    draws = random_tokens(200, length=100, vocab_size=12, exclude=(0, 5), seed=0)
    counts = np.bincount(draws.ravel(), minlength=12)
    assert draws.shape == (200, 100)
    assert counts[[0, 5]].tolist() == [0, 0]
    expected = draws.size / 10
    # Four standard deviations of a binomial count.
    assert np.abs(np.delete(counts, [0, 5]) - expected).max() < 4 * np.sqrt(expected)
    again = random_tokens(200, length=100, vocab_size=12, exclude=(0, 5), seed=0)
    np.testing.assert_array_equal(draws, again)


@pytest.mark.parametrize(("n", "length", "size"), [(0, 1, 9), (1, 0, 9), (1, 1, 2), (1, 1, 0)])
def test_impossible_random_tokens_are_refused(n, length, size):
    with pytest.raises(CorpusError, match="random tokens"):
        random_tokens(n, length=length, vocab_size=size, exclude=(0, 1), seed=0)
