import pytest

from posprobe.data.documents import Document

PARAGRAPHS = (("First one.", "Second."), ("Third.",), ("Fourth, ü.", "Fifth.", "Sixth."))


@pytest.mark.parametrize("title", ["", "A title"])
def test_spans_cut_the_sentences_out_of_the_text(title):
    document = Document(PARAGRAPHS, title=title)
    spans = document.spans()
    sentences = [sentence for paragraph in PARAGRAPHS for sentence in paragraph]
    assert [document.text[span.start : span.end] for span in spans] == sentences
    assert [span.sentence for span in spans] == [0, 1, 2, 3, 4, 5]
    assert [span.paragraph for span in spans] == [0, 0, 1, 2, 2, 2]
    assert [span.within for span in spans] == [0, 1, 0, 0, 1, 2]


def test_text_has_title_and_paragraphs():
    assert Document((("A.", "B."), ("C.",)), title="T").text == "T\n\nA. B.\n\nC."
    assert Document(()).text == ""
    assert Document(()).spans() == ()


def test_an_empty_paragraph_shifts_no_span():
    document = Document((("A.",), (), ("B.",)))
    assert [document.text[span.start : span.end] for span in document.spans()] == ["A.", "B."]
