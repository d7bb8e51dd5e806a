import pytest

from posprobe.core.errors import CorpusError
from posprobe.data import corpora
from posprobe.data.corpora import open_corpus
from posprobe.data.documents import Document

HELLO = Document((("Hello.",),))


def test_a_path(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"body": "Hello."}')
    name, documents = open_corpus(str(tmp_path / "a.jsonl"), column="body")
    assert name == "a.jsonl"
    assert [document.text for document in documents] == ["Hello."]
    with pytest.raises(CorpusError, match="no such file"):
        open_corpus("nowhere.txt")


def test_the_prose_of_the_machine(monkeypatch):
    monkeypatch.setattr(corpora, "installed_documents", lambda min_words: iter([HELLO] * min_words))
    name, documents = open_corpus("installed", min_words=3)
    assert name.startswith("prose of the docstrings of Python")
    assert list(documents) == [HELLO] * 3


def test_the_docstrings_of_the_machine(monkeypatch):
    monkeypatch.setattr(corpora, "docstring_documents", lambda min_words: iter([HELLO] * min_words))
    name, documents = open_corpus("docstrings", min_words=2)
    assert name.startswith("docstrings of Python")
    assert list(documents) == [HELLO] * 2


@pytest.mark.parametrize("ref", ["fineweb", "hf:a/b:c"])
def test_the_hub(monkeypatch, ref):
    monkeypatch.setattr(corpora, "read_hub_dataset", lambda ref, column: iter([ref, column]))
    name, documents = open_corpus(ref, column="body")
    assert (name, list(documents)) == (ref, [ref, "body"])
