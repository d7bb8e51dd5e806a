from weakref import WeakSet

import pytest

from posprobe.core.errors import CorpusError
from posprobe.data.documents import Document
from posprobe.data.encoding import encode_documents, encode_prompts
from posprobe.data.symbolic import TASKS
from posprobe.data.vocabulary import ascii_vocabulary


class Letters:
    """Ids 3 to 28 are letters, between a start (1) and an end (2); 0 is padding."""

    name = "letters"
    size = 29
    pad_id = 0
    special_ids = (0, 1, 2)

    def encode(self, text):
        return [1, *(ord(letter) - ord("a") + 3 for letter in text), 2]

    def decode(self, ids):
        return [str(index) for index in ids]

    def save(self, path):
        return path


class OpenLetters(Letters):
    """The same without an end."""

    def encode(self, text):
        return super().encode(text)[:-1]


def _documents(*texts):
    return [Document(((text,),)) for text in texts]


def test_sequences_keep_the_order_and_the_counts():
    tokens = encode_documents(
        _documents("abc", "a", "abcdef", "abcd"), Letters(), name="x", n_ctx=6, min_tokens=5
    )
    assert [s.tolist() for s in tokens] == [[1, 3, 4, 5, 2], [1, 3, 4, 5, 6, 2], [1, 3, 4, 5, 6, 2]]
    assert tokens.documents.tolist() == [0, 2, 3]
    assert (tokens.truncated, tokens.too_short) == (1, 1)
    assert tokens.source.documents == 3
    assert tokens.special_ids == (0, 1, 2)


def test_a_cut_keeps_the_closing_token_only_if_there_is_one():
    closed = encode_documents(_documents("abcdef"), Letters(), name="x", n_ctx=4)
    assert closed[0].tolist() == [1, 3, 4, 2]
    opened = encode_documents(_documents("abcdef"), OpenLetters(), name="x", n_ctx=4)
    assert opened[0].tolist() == [1, 3, 4, 5]


def test_nothing_is_read_beyond_the_limit():
    def stream():
        yield from _documents("abc", "abc", "abc", "abc")
        pytest.fail("read on")

    tokens = encode_documents(stream(), Letters(), name="x", n_ctx=9, limit=4)
    assert len(tokens) == 4
    assert tokens.too_short == 0


def test_the_hash_is_that_of_the_ids():
    def source(name, *texts):
        return encode_documents(_documents(*texts), Letters(), name=name, n_ctx=9).source.sha256

    assert source("x", "ab", "c") == source("y", "ab", "c")
    assert source("x", "ab", "c") != source("x", "c", "ab")


def test_documents_are_let_go_once_encoded():
    alive = WeakSet()

    def stream():
        for number in range(20):
            document = Document((("abc",),), name=str(number))
            alive.add(document)
            # The one before may still be in the hands of the loop that asks for this one.
            assert len(alive) <= 2
            yield document

    tokens = encode_documents(stream(), Letters(), name="x", n_ctx=9)
    assert len(tokens) == 20
    assert tokens.ids.itemsize == 4


def test_a_tokenizer_too_large_for_the_model_is_refused_first():
    with pytest.raises(CorpusError, match=r"29 ids, the model only 28.*--tokenizer"):
        encode_documents(iter(()), Letters(), name="x", n_ctx=9, d_vocab=28)
    with pytest.raises(CorpusError, match="--tokenizer"):
        encode_prompts(["a"], Letters(), name="x", n_ctx=9, d_vocab=28)
    assert len(encode_prompts(["a"], Letters(), name="x", n_ctx=9, d_vocab=29)) == 1


def test_an_unknown_character_names_its_document():
    documents = [Document((("fine",),)), Document((("caf\u00e9",),), name="menu.txt:7")]
    with pytest.raises(CorpusError, match=r"menu\.txt:7: character 'é'.*--tokenizer"):
        encode_documents(documents, ascii_vocabulary(), name="x", n_ctx=9)


@pytest.mark.parametrize(
    ("texts", "options", "why"),
    [
        ((), {}, "holds no document"),
        (("ab", "c"), {"min_tokens": 5}, "none of 2 documents has 5 tokens"),
        (("ab",), {"min_tokens": 10}, "min_tokens=10 is more than the context, 9"),
        (("ab",), {"limit": 0}, "limit=0"),
        (("ab",), {"min_tokens": 0}, "min_tokens=0"),
        (("ab",), {"n_ctx": 0}, "n_ctx=0"),
    ],
)
def test_nothing_to_run_on_is_an_error(texts, options, why):
    with pytest.raises(CorpusError, match=why):
        encode_documents(_documents(*texts), Letters(), name="x", **{"n_ctx": 9, **options})


def test_prompts_are_encoded_whole():
    prompts = TASKS["reversal"].prompts(10, seed=0)
    tokens = encode_prompts(prompts, ascii_vocabulary(), name="reversal", n_ctx=256)
    assert set(tokens.lengths.tolist()) == {22}
    assert tokens[3].tolist() == ascii_vocabulary().encode(prompts[3])
    for n_ctx, texts in ((21, prompts), (256, ()), (256, ("",))):
        with pytest.raises(CorpusError, match="longest prompt"):
            encode_prompts(texts, ascii_vocabulary(), name="reversal", n_ctx=n_ctx)
