import pytest

from posprobe.core.errors import CorpusError
from posprobe.data.bpe import SPECIAL, train_bpe
from posprobe.data.documents import Document
from posprobe.data.generated import generate_documents
from posprobe.data.subwords import SubwordTokenizer

TEXTS = ("The ships left.\n\nThen they came back.", "Déjà vu, 東京 and naïveté! 🙂\ttab", "", " x ")


def _documents():
    return generate_documents(40, seed=1)


@pytest.fixture(scope="module")
def tokenizer():
    return train_bpe(_documents(), vocab_size=500, name="test")


def _spelled(tokenizer, text):
    """Put the bytes behind the vocabulary's letters together again."""
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in kept]
    table = {chr(byte): byte for byte in kept}
    table |= {chr(256 + place): byte for place, byte in enumerate(others)}
    letters = "".join(tokenizer.decode(tokenizer.encode(text)[1:-1]))
    return bytes(table[letter] for letter in letters).decode()


@pytest.mark.parametrize("text", TEXTS)
def test_every_text_is_spelled_byte_by_byte(tokenizer, text):
    ids = tokenizer.encode(text)
    assert tokenizer.decode([ids[0], ids[-1]]) == ["[CLS]", "[SEP]"]
    assert not set(ids[1:-1]) & set(tokenizer.special_ids)
    assert _spelled(tokenizer, text) == text


def test_ids_of_special_tokens(tokenizer):
    assert tokenizer.decode([0, 1, 2, 3]) == list(SPECIAL)
    assert (tokenizer.pad_id, tokenizer.mask_id) == (0, 3)
    assert tokenizer.special_ids == (0, 1, 2, 3)
    assert (tokenizer.size, tokenizer.name) == (500, "test")


def test_an_empty_line_is_one_token(tokenizer):
    ids = tokenizer.encode("a.\n\nThe b")
    assert "ĊĊ" in tokenizer.decode(ids)
    assert "The" in tokenizer.decode(ids)


def test_the_same_documents_give_the_same_vocabulary(tokenizer, tmp_path):
    again = train_bpe(_documents(), vocab_size=500)
    first, second = (t.save(tmp_path / name) for t, name in ((tokenizer, "a"), (again, "b")))
    assert first.read_bytes() == second.read_bytes()


def test_a_saved_vocabulary_is_read_again(tokenizer, tmp_path):
    again = SubwordTokenizer.from_path(tokenizer.save(tmp_path / "tokenizer.json"))
    for text in TEXTS:
        assert again.encode(text) == tokenizer.encode(text)
    for attribute in ("size", "pad_id", "mask_id", "special_ids"):
        assert getattr(again, attribute) == getattr(tokenizer, attribute)


def test_other_special_tokens_and_no_template():
    ours = train_bpe(_documents(), vocab_size=400, special=("[PAD]", "[END]"), template=False)
    assert ours.decode(ours.encode("a")) == ["a"]
    assert (ours.special_ids, ours.pad_id, ours.mask_id) == ((0, 1), 0, None)


def test_a_small_corpus_has_a_small_vocabulary():
    ours = train_bpe([Document((("abab",),))], vocab_size=5000)
    assert 256 + 4 < ours.size < 270


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"vocab_size": 260}, "vocab_size=260"),
        ({"special": ("[CLS]", "[SEP]", "[SEP]")}, "twice"),
        ({"special": ("[PAD]", "[CLS]")}, r"\[SEP\]"),
    ],
)
def test_bad_arguments_are_named(options, why):
    with pytest.raises(CorpusError, match=why):
        train_bpe(_documents(), **{"vocab_size": 500, **options})


def test_an_empty_or_broken_corpus_is_named():
    with pytest.raises(CorpusError, match="no document"):
        train_bpe([], vocab_size=500)

    def broken():
        yield Document((("One.",),))
        raise CorpusError("line 7")

    with pytest.raises(CorpusError, match="line 7"):
        train_bpe(broken(), vocab_size=500)
