import pytest

from posprobe.core.errors import CorpusError
from posprobe.data.hub_datasets import NAMED, is_hub_reference, read_hub_dataset


@pytest.fixture
def asked(monkeypatch):
    """What was asked of `datasets`, which answers with two rows and then breaks off."""
    datasets = pytest.importorskip("datasets")
    calls = []

    def load_dataset(name, configuration, *, split, streaming):
        assert streaming
        calls.append((name, configuration, split))
        yield {"text": "One. Two.\n\nThree.", "id": 1}
        yield {"text": "Four."}
        raise ConnectionError("the line\n  is dead")

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    return calls


@pytest.mark.parametrize(
    ("ref", "parts"),
    [
        ("hf:owner/name", ("owner/name", None, "train")),
        ("hf:owner/name:en", ("owner/name", "en", "train")),
        ("hf:owner/name:en:test", ("owner/name", "en", "test")),
        ("hf:owner/name::test", ("owner/name", None, "test")),
        ("fineweb", ("HuggingFaceFW/fineweb", "sample-10BT", "train")),
    ],
)
def test_references(asked, ref, parts):
    documents = read_hub_dataset(ref)
    assert asked == []
    first = next(documents)
    assert asked == [parts]
    assert first.paragraphs == (("One.", "Two."), ("Three.",))
    assert first.name == f"{ref} row 0"
    assert next(documents).text == "Four."


def test_a_broken_stream_is_one_line(asked):
    with pytest.raises(CorpusError, match=r"hf:a/b: .*Hub \(the line is dead\)") as error:
        list(read_hub_dataset("hf:a/b"))
    assert "\n" not in str(error.value)


def test_columns_are_checked(asked):
    assert next(read_hub_dataset("hf:a/b", column="text")).text
    with pytest.raises(CorpusError, match="row 0: no column 'body'; it has 'text', 'id'"):
        next(read_hub_dataset("hf:a/b", column="body"))
    with pytest.raises(CorpusError, match="column 'id' holds no text but 1"):
        next(read_hub_dataset("hf:a/b", column="id"))


@pytest.mark.parametrize("ref", ["hf:", "hf:a:b:c:d", "hf::x"])
def test_other_references_are_refused_at_once(ref):
    with pytest.raises(CorpusError, match="hf:NAME:CONFIGURATION"):
        read_hub_dataset(ref)


def test_what_belongs_to_the_hub():
    assert all(map(is_hub_reference, [*NAMED, "hf:a/b"]))
    assert not any(map(is_hub_reference, ["fineweb.txt", "installed", "a/b"]))
