import pytest

from posprobe.core.errors import CorpusError
from posprobe.data.installed_docstrings import docstring_documents

WHOLE = """Weigh a thing.

Parameters
----------
thing : object
    What is weighed,
    be it ever so small.

>>> weigh(1)
1"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    def make(**modules):
        folder = tmp_path / "wordy"
        folder.mkdir()
        for name, docstrings in modules.items():
            functions = (f'def f():\n    """{text}"""\n' for text in docstrings)
            (folder / f"{name}.py").write_text("".join(functions) + "raise SystemExit\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        return ("wordy",)

    return make


def test_a_docstring_is_a_document_with_all_that_is_in_it(package):
    (document,) = docstring_documents(packages=package(a=[WHOLE]), min_words=3)
    assert document.name == "wordy.a 0"
    assert document.text.split("\n\n") == [
        "Weigh a thing.",
        "Parameters ---------- thing : object What is weighed, be it ever so small.",
        ">>> weigh(1) 1",
    ]
    assert len(document.paragraphs) == 3


def test_short_and_repeated_ones_are_left_out(package):
    other = "Paint the fence in a colour that nobody in the whole street has ever seen."
    packages = package(a=[WHOLE, "Too short."], b=[WHOLE, other])
    documents = list(docstring_documents(packages=packages, min_words=3))
    assert [document.name for document in documents] == ["wordy.a 0", "wordy.b 1"]


def test_bad_arguments_are_named_at_once():
    with pytest.raises(CorpusError, match="min_words=0"):
        docstring_documents(min_words=0)
    with pytest.raises(CorpusError, match="no_such_package is not installed"):
        docstring_documents(packages=("no_such_package",))
