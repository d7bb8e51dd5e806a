import io
import json
import pickle

import pytest

from posprobe.core.errors import CorpusError
from posprobe.data.vocabulary import CharVocabulary, ascii_vocabulary


class PlainUnpickler(pickle.Unpickler):
    """Reads numbers, strings and tables; nothing in the file can run."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name}")


def test_the_default_is_the_original_code_s_vocabulary(shared):
    content = (shared / "golden/nopefork_nope/meta_all_ascii_chars.pkl").read_bytes()
    meta = PlainUnpickler(io.BytesIO(content)).load()
    original = CharVocabulary.from_meta(meta, name="meta")
    assert original.size == meta["vocab_size"] == 96
    assert original.characters == ascii_vocabulary().characters


def test_other_alphabets_are_read(shared):
    meta = PlainUnpickler(io.BytesIO((shared / "golden/nanogpt_a/meta.pkl").read_bytes())).load()
    vocabulary = CharVocabulary.from_meta(meta, name="meta")
    assert vocabulary.size == 65
    assert all(vocabulary.encode(item) == [index] for item, index in meta["stoi"].items())


def test_encode_and_decode():
    vocabulary = ascii_vocabulary()
    text = "rev(12)=\n "
    ids = vocabulary.encode(text)
    assert ids[-2:] == [0, 1]
    assert vocabulary.decode(ids) == [*"rev(12)=", "\\n", " "]
    assert vocabulary.decode([96, -1]) == ["<96>", "<-1>"]
    assert vocabulary.pad_id is None
    assert vocabulary.special_ids == ()


def test_an_unknown_character_is_named_with_the_option():
    with pytest.raises(CorpusError) as error:
        ascii_vocabulary().encode("caf\u00e9")
    for part in ("'\u00e9'", "U+00E9", "place 3", "--tokenizer", "96"):
        assert part in str(error.value)


@pytest.mark.parametrize("table", ["stoi", "itos"])
def test_one_table_is_enough_also_with_string_ids(table):
    meta = {"stoi": {"a": 1, "b": 0}, "itos": {"0": "b", "1": "a"}}
    vocabulary = CharVocabulary.from_meta({table: meta[table]}, name="x")
    assert vocabulary.characters == ("b", "a")


def test_saved_vocabulary_is_read_again(tmp_path):
    vocabulary = CharVocabulary(["\n", "é", '"', "\\"], name="x")
    path = vocabulary.save(tmp_path / "vocabulary.json")
    assert CharVocabulary.from_file(path).characters == vocabulary.characters
    assert json.loads(path.read_text())["vocab_size"] == 4


@pytest.mark.parametrize(
    ("meta", "why"),
    [
        ({}, "neither"),
        ({"stoi": {"a": 0, "b": 2}}, "not 0 to 1"),
        ({"stoi": {"a": 0, "b": 0}}, "share"),
        ({"stoi": {"a": 0}, "itos": {0: "b"}}, "disagree"),
        ({"stoi": {"ab": 0}}, "one character"),
        ({"itos": {0: "a", 1: "a"}}, "two ids"),
        ({"stoi": ["a"]}, "not a table"),
        ({"itos": {"zero": "a"}}, "not a table"),
        ({"stoi": {}}, "one character"),
    ],
)
def test_broken_tables_are_refused(meta, why):
    with pytest.raises(CorpusError, match=why):
        CharVocabulary.from_meta(meta, name="x")


@pytest.mark.parametrize("content", ["{", "[1]", None])
def test_broken_files_are_refused_with_their_path(tmp_path, content):
    path = tmp_path / "vocabulary.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(CorpusError, match=r"vocabulary\.json"):
        CharVocabulary.from_file(path)


def test_offsets_count_characters():
    vocabulary = CharVocabulary("ab", name="ab")
    assert vocabulary.encode_with_offsets("ba") == ([1, 0], [(0, 1), (1, 2)])
    with pytest.raises(CorpusError, match="'c'"):
        vocabulary.encode_with_offsets("abc")
