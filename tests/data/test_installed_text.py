import sys
import sysconfig
from pathlib import Path

import pytest

from posprobe.core.errors import CorpusError
from posprobe.data.installed_modules import PACKAGES, SHORTEST, STANDARD, installed_name
from posprobe.data.installed_text import installed_documents

SENTENCE = "The {} of this thing is written down here for all to read."
NAMES = ("colour", "weight", "length", "height", "owner", "price", "sound", "smell", "taste")


def _package(tmp_path, monkeypatch, **modules):
    folder = tmp_path / "talkative"
    folder.mkdir()
    for name, docstrings in modules.items():
        functions = (f'def f():\n    """{text}"""\n' for text in docstrings)
        (folder / f"{name}.py").write_text("".join(functions) + "raise SystemExit\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return "talkative"


def _read(package, **options):
    return list(installed_documents(packages=(package,), **options))


def _text(*names):
    return " ".join(SENTENCE.format(name) for name in names)


def test_modules_are_documents_cut_where_docstrings_open(tmp_path, monkeypatch):
    package = _package(
        tmp_path,
        monkeypatch,
        b=[_text(name) for name in NAMES[:5]],
        a=[_text(name) for name in NAMES[5:8]],
        c=["Too short."],
    )
    documents = _read(package, min_words=24)
    assert [document.name for document in documents] == [
        "talkative.a 0",
        "talkative.b 0",
        "talkative.b 1",
    ]
    # What is left over at the end joins the document before it.
    assert [len(document.paragraphs) for document in documents] == [3, 2, 3]
    assert documents[1].paragraphs == ((_text("colour"),), (_text("weight"),))
    assert [len(document.paragraphs) for document in _read(package, min_words=12)] == [1] * 8
    assert _read(package, min_words=100) == []
    assert _read(package, min_words=24) == documents


def test_a_long_docstring_is_cut_at_a_paragraph_that_does_not_lean(tmp_path, monkeypatch):
    opening = "Sizes are given in metres, unless the user asks for something else."
    paragraphs = [_text(NAMES[0]), _text(NAMES[1]), _text(NAMES[2]), opening, _text(NAMES[3])]
    package = _package(tmp_path, monkeypatch, a=["\n\n    ".join(paragraphs)])
    first, second = _read(package, min_words=12)
    assert len(first.paragraphs) == 3
    assert second.text.startswith("Sizes")


def test_a_docstring_of_a_few_words_is_left_out(tmp_path, monkeypatch):
    package = _package(tmp_path, monkeypatch, a=["Return the sum of all.", _text("colour")])
    assert [document.text for document in _read(package, min_words=1)] == [_text("colour")]


def test_a_document_does_not_begin_in_the_middle(tmp_path, monkeypatch):
    text = f"f(x) -> y\n\n    This thing leans on what is gone.\n\n    {_text('colour')}"
    package = _package(tmp_path, monkeypatch, a=[text, _text("weight")])
    (document,) = _read(package, min_words=1)
    assert document.text == _text("weight")


def test_what_was_seen_before_is_left_out(tmp_path, monkeypatch):
    package = _package(
        tmp_path,
        monkeypatch,
        a=[_text("colour", "weight"), _text("colour"), _text("length")],
        b=[_text("weight", "colour"), _text("height")],
    )
    documents = _read(package, min_words=1)
    assert [document.text for document in documents] == [
        _text("colour", "weight"),
        _text("length"),
        _text("height"),
    ]


def test_tests_and_copies_are_not_read(tmp_path, monkeypatch):
    package = _package(tmp_path, monkeypatch, a=[_text("colour")])
    for folder in ("tests", "_vendor"):
        (tmp_path / package / folder).mkdir()
        (tmp_path / package / folder / "b.py").write_text(f'"""{_text("weight")}"""')
    assert [document.text for document in _read(package, min_words=1)] == [_text("colour")]


def test_the_manual_of_the_standard_library_is_read(tmp_path, monkeypatch):
    stdlib = Path(sysconfig.get_path("stdlib"))
    (tmp_path / "pydoc_data").mkdir()
    topics = (stdlib / "pydoc_data" / "topics.py").read_text(encoding="utf-8")
    (tmp_path / "pydoc_data" / "topics.py").write_text(topics, encoding="utf-8")
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    documents = _read(STANDARD)
    assert len(documents) > 100
    assert documents[0].name == "python.pydoc_data.topics 0"
    text = "\n".join(document.text for document in documents)
    assert text.startswith("Assert statements are a convenient way to insert debugging")
    assert "assert_stmt" not in text
    _check_prose(documents)


def test_a_package_reads_like_english():
    documents = _read("jinja2")
    assert len(documents) > 30
    _check_prose(documents)


def _check_prose(documents):
    for document in documents:
        assert len(document.text.split()) >= SHORTEST
        for sentence in (s for paragraph in document.paragraphs for s in paragraph):
            assert sentence.lstrip("\"'“‘(")[0].isupper()
            assert sentence.rstrip("\"'”’)")[-1] in ".!?"
            assert not set("\\`{}<>|") & set(sentence)
            words = sentence.split()
            assert sum(word.strip("().,;:?!\"'").isalpha() for word in words) > 0.5 * len(words)


def test_bad_arguments_are_named_at_once():
    with pytest.raises(CorpusError, match="min_words=0"):
        installed_documents(min_words=0)
    for call in (installed_documents, installed_name):
        with pytest.raises(CorpusError, match="package no_such_package is not installed"):
            call(packages=("no_such_package",))


def test_the_name_lists_versions():
    name = installed_name((STANDARD, "sklearn"))
    assert name.startswith(f"docstrings of Python {sys.version_info.major}.")
    assert ", scikit-learn 1." in name
    assert installed_name().count(",") == len(PACKAGES) - 1
