"""Which tokens of a data set's texts make which vector."""

import numpy as np
import pytest

from posprobe.data.holmes.dataset import HolmesDataset, Span
from posprobe.data.holmes.tokens import holmes_tokens
from posprobe.data.subwords import SubwordTokenizer
from posprobe.data.wordpiece import bert_wordpiece

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "dog", "##s", "bark", "loud", "##ly", "."]


@pytest.fixture
def tokenizer(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join(WORDS))
    return SubwordTokenizer(bert_wordpiece(path), name="words")


def dataset(*samples, texts=("The dogs bark loudly.", "Dogs.")):
    return HolmesDataset(
        name="x",
        kind="class",
        texts=texts,
        samples=samples,
        labels=np.zeros(len(samples), dtype=int),
        classes=("a",),
        split=np.zeros(len(samples), dtype=int),
        sha256="",
    )


def words_of(found, vector):
    """Spell the tokens that a vector is the mean of."""
    words = []
    for text, ids in enumerate(found.tokens):
        own = slice(found.first[text], found.first[text + 1])
        places = found.position[own][found.vector[own] == vector]
        words += [WORDS[ids[place]] for place in places]
    return words


def test_a_whole_text_has_its_special_tokens_or_not(tokenizer):
    data = dataset(((Span(1),),))
    found = holmes_tokens(data, tokenizer, n_ctx=64, special=True)
    assert words_of(found, 0) == ["[CLS]", "dog", "##s", ".", "[SEP]"]
    found = holmes_tokens(data, tokenizer, n_ctx=64, special=False)
    assert words_of(found, 0) == ["dog", "##s", "."]
    # A model needs them all the same.
    assert found.tokens.lengths.tolist() == [9, 5]


def test_a_span_has_every_token_that_shares_a_character(tokenizer):
    #                        The [dog]s       dogs [bark l]oudly
    data = dataset(((Span(0, 4, 7),), (Span(0, 9, 15),)), ((Span(0, 4, 8),), (Span(1, 0, 4),)))
    found = holmes_tokens(data, tokenizer, n_ctx=64, special=True)
    words = [words_of(found, vector) for vector in range(found.n_vectors)]
    assert words == [["dog"], ["bark", "loud"], ["dog", "##s"], ["dog", "##s"]]
    assert found.source.tolist() == [0, 1, 2, 3]
    assert found.part.tolist() == [0, 1, 2, 3]
    assert found.n_parts == 2


def test_equal_spans_are_one_vector_and_a_part_can_have_several(tokenizer):
    twice = (Span(0, 0, 3), Span(0, 9, 13))
    found = holmes_tokens(dataset((twice,), (twice[::-1],)), tokenizer, n_ctx=64, special=True)
    assert found.n_vectors == 2
    assert found.source.tolist() == [0, 1, 1, 0]
    assert found.part.tolist() == [0, 0, 1, 1]


def test_what_the_context_cuts_off_is_known(tokenizer):
    data = dataset(((Span(0, 0, 3),),), ((Span(0, 14, 20),),), ((Span(1),),))
    found = holmes_tokens(data, tokenizer, n_ctx=5, special=True)
    assert [WORDS[index] for index in found.tokens[0]] == ["[CLS]", "the", "dog", "##s", "[SEP]"]
    assert found.complete.tolist() == [True, False, True]
    assert found.cut.tolist() == [True, True, False]
    assert found.tokens.truncated == 1


def test_a_place_beyond_the_text_has_no_token(tokenizer):
    found = holmes_tokens(dataset(((Span(1, 40, 44),),)), tokenizer, n_ctx=64, special=True)
    assert found.complete.tolist() == [False]
