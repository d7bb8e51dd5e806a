import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from posprobe.data.bpe import train_bpe
from posprobe.data.conllu import read_conllu
from posprobe.data.documents import Document
from posprobe.data.encoding import encode_documents
from posprobe.data.generated import generate_documents
from posprobe.data.subwords import SubwordTokenizer
from posprobe.data.token_positions import token_positions
from posprobe.data.vocabulary import ascii_vocabulary

DOCUMENT = Document((("Ab c.", "De."), (), ("F g h.",)), title="Ti")


@pytest.fixture(scope="module")
def bpe():
    return train_bpe(generate_documents(40, seed=1), vocab_size=400)


def test_characters():
    text = "Ti\n\nAb c. De.\n\n\n\nF g h."
    assert DOCUMENT.text == text
    places = token_positions(DOCUMENT, ascii_vocabulary())
    assert places.sentence.tolist() == [-1] * 4 + [0] * 5 + [-1] + [1] * 3 + [-1] * 4 + [2] * 6
    assert places.paragraph.tolist() == [-1] * 4 + [0] * 5 + [-1] + [0] * 3 + [-1] * 4 + [2] * 6
    within = [*[-1] * 4, 0, 1, 2, 3, 4, -1, 0, 1, 2, *[-1] * 4, 0, 1, 2, 3, 4, 5]
    assert places.within_sentence.tolist() == within
    within = [*[-1] * 4, 0, 1, 2, 3, 4, -1, 5, 6, 7, *[-1] * 4, 0, 1, 2, 3, 4, 5]
    assert places.within_paragraph.tolist() == within
    assert set(places.word.tolist()) == {-1}


def test_subwords_against_a_plain_count(bpe):
    for document in generate_documents(3, seed=3):
        places = token_positions(document, bpe)
        _, offsets = bpe.encode_with_offsets(document.text)
        sentences, paragraphs, spans = {}, {}, document.spans()
        for token, (start, end) in enumerate(offsets):
            piece = document.text[start:end]
            first = start + (piece.index(piece.lstrip()) if piece.strip() else 0)
            span = next((s for s in spans if s.start <= first < s.end), None)
            if span is None or start < 0:
                expected = (-1, -1, -1, -1)
            else:
                sentence = sentences.setdefault(span.sentence, [])
                paragraph = paragraphs.setdefault(span.paragraph, [])
                expected = (span.sentence, span.paragraph, len(sentence), len(paragraph))
                sentence.append(token)
                paragraph.append(token)
            found = (
                places.sentence[token],
                places.paragraph[token],
                places.within_sentence[token],
                places.within_paragraph[token],
            )
            assert found == expected
        assert places.sentence[0] == places.sentence[-1] == -1


@pytest.mark.parametrize("n_ctx", [1, 5, 40, 10_000])
def test_a_cut_is_that_of_the_encoding(bpe, n_ctx):
    document = next(generate_documents(1, seed=3))
    tokens = encode_documents([document], bpe, name="x", n_ctx=n_ctx)
    whole, cut = (token_positions(document, bpe, n_ctx=n) for n in (None, n_ctx))
    assert cut.ids.tolist() == tokens[0].tolist()
    kept = len(cut.ids) - 1
    np.testing.assert_array_equal(cut.within_sentence[:kept], whole.within_sentence[:kept])
    assert cut.sentence[-1] == -1


def test_words_of_a_treebank(tmp_path):
    rows = [("1-2", "Don't"), ("1", "Do"), ("2", "n't"), ("3", "go"), ("4", "harbours")]
    path = tmp_path / "a.conllu"
    path.write_text("\n".join("\t".join([*row, *"_" * 8]) for row in rows), encoding="utf-8")
    (document,) = read_conllu(path, annotated=True)
    assert document.text == "Don't go harbours"
    places = token_positions(document, ascii_vocabulary())
    assert places.word.tolist() == [0] * 5 + [-1] + [2] * 2 + [-1] + [3] * 8


def test_a_document_without_text():
    places = token_positions(Document(()), ascii_vocabulary())
    assert places.ids.size == places.sentence.size == places.word.size == 0
    empty = Tokenizer(models.WordLevel({"a": 0}, unk_token="a"))
    empty.pre_tokenizer = pre_tokenizers.Whitespace()
    places = token_positions(Document((), title="Title"), SubwordTokenizer(empty, name="x"))
    assert places.paragraph.tolist() == [-1]
