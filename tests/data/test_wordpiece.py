import pytest

from posprobe.core.errors import CorpusError
from posprobe.data.wordpiece import bert_wordpiece

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "ship", "##s", "Ship", "caf", "##e", "é", "##é"]


def _write(tmp_path, words):
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join(words) + "\n", encoding="utf-8")
    return path


def test_words_are_split_lowercased_and_wrapped(tmp_path):
    tokenizer = bert_wordpiece(_write(tmp_path, WORDS))
    assert tokenizer.encode("Ships Café").tokens == ["[CLS]", "ship", "##s", "caf", "##e", "[SEP]"]
    assert tokenizer.encode("boat").tokens == ["[CLS]", "[UNK]", "[SEP]"]


def test_the_configuration_can_keep_case_and_accents(tmp_path):
    tokenizer = bert_wordpiece(_write(tmp_path, WORDS), config={"do_lower_case": False})
    assert tokenizer.encode("Ships").tokens == ["[CLS]", "Ship", "##s", "[SEP]"]
    accents = bert_wordpiece(_write(tmp_path, WORDS), config={"strip_accents": False})
    assert accents.encode("Café").tokens == ["[CLS]", "caf", "##é", "[SEP]"]


@pytest.mark.parametrize(
    ("words", "why"),
    [(["ship"], r"\[UNK\], \[CLS\], \[SEP\] missing"), ([*WORDS, "ship"], "two lines")],
)
def test_broken_lists_are_refused(tmp_path, words, why):
    with pytest.raises(CorpusError, match=why):
        bert_wordpiece(_write(tmp_path, words))


def test_a_list_that_is_not_text_is_refused(tmp_path):
    (tmp_path / "vocab.txt").write_bytes(b"\xff\n")
    with pytest.raises(CorpusError, match=r"vocab\.txt"):
        bert_wordpiece(tmp_path / "vocab.txt")
