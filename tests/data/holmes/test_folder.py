"""Reading data sets in the form that the Holmes benchmark has on disk."""

import csv

import numpy as np
import pytest

from posprobe.core.errors import CorpusError
from posprobe.data.holmes.dataset import Span
from posprobe.data.holmes.folder import dataset_hash, list_datasets, read_dataset
from posprobe.data.holmes.map import read_map, shipped_map

COLUMNS = ("id", "inputs", "context", "label", "set-0")
SPLITS = ("train", "dev", "test")


def write(folder, rows, *, columns=COLUMNS, config=None):
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "samples.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([columns, *rows])
    if config:
        (folder / "config-none.yaml").write_text(config, encoding="utf-8")
    return folder


def rows(inputs, *, context="", labels=("1", "0", "1")):
    return [
        (i, inputs, context, label, s)
        for i, (s, label) in enumerate(zip(SPLITS, labels, strict=True))
    ]


def test_sentences_and_pairs_of_sentences(tmp_path):
    data = read_dataset(write(tmp_path / "one", rows("['It is so.']")))
    assert (data.name, data.kind, data.texts) == ("one", "class", ("It is so.",))
    assert data.samples == (((Span(0),),),) * 3
    assert data.labels.tolist() == [1, 0, 1]
    assert data.split.tolist() == [0, 1, 2]
    pairs = rows("('One.', \"Two's.\")")
    pairs += [(3, "['Two\\'s.', 'One.']", "", "0", "train")]
    data = read_dataset(write(tmp_path / "two", pairs))
    assert data.texts == ("One.", "Two's.")
    assert data.samples[0] == ((Span(0),), (Span(1),))
    assert data.samples[3] == ((Span(1),), (Span(0),))
    assert data.sizes() == (2, 1, 1)


def test_tokens_in_their_context(tmp_path):
    context = "['A big dog barks.', 'It bites.']"
    inputs = "[('dog', 0, 6, 9), ('It', 1, 0, 2)]"
    data = read_dataset(write(tmp_path / "words", rows(inputs, context=context)))
    assert data.texts == ("A big dog barks.", "It bites.")
    assert data.samples[0] == ((Span(0, 6, 9),), (Span(1, 0, 2),))


def test_several_spans_make_one_input(tmp_path):
    inputs = "[('dog', 0, 6, 9, 1), ('A', 0, 0, 1, 0), ('barks', 0, 10, 15, 1)]"
    data = read_dataset(write(tmp_path / "x", rows(inputs, context="['A big dog barks.']")))
    assert data.samples[0] == ((Span(0, 0, 1),), (Span(0, 6, 9), Span(0, 10, 15)))


def test_kind_of_the_labels(tmp_path):
    def kind(name, labels, config=None):
        return read_dataset(write(tmp_path / name, rows("['x']", labels=labels), config=config))

    assert kind("halves", ("0.5", "1", "2")).labels.tolist() == [0.5, 1, 2]
    assert kind("whole", ("3", "1", "2")).kind == "class"
    assert kind("named", ("DT", "NN", "DT")).classes == ("DT", "NN")
    counted = kind("counted", ("3", "1", "2"), "probe_name: x\nnum_labels: 1\n")
    assert (counted.kind, counted.labels.tolist()) == ("number", [3.0, 1.0, 2.0])
    assert kind("tags", ("0.5", "1.5", "0.5"), "num_labels: 2\n").kind == "class"


def test_a_row_without_a_split_is_not_used(tmp_path):
    data = read_dataset(write(tmp_path / "x", [*rows("['x']"), (3, "['y']", "", "0", "")]))
    assert (len(data), data.unused) == (3, 1)
    assert data.texts == ("x",)


def test_labels_keep_to_their_rows(tmp_path):
    mixed = [(0, "['y']", "", "a", ""), *rows("['x']", labels=("b", "c", "b"))]
    data = read_dataset(write(tmp_path / "x", mixed))
    assert [data.classes[label] for label in data.labels] == ["b", "c", "b"]


GOOD = rows("['x']")


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ((3, "x.", "", "1", "train"), "row 4: inputs is no list: 'x.'"),
        ((3, "['x'", "", "1", "train"), "row 4: inputs is no list"),
        ((3, "[]", "", "1", "train"), "row 4: inputs is no list"),
        ((3, "__import__('os')", "", "1", "train"), "row 4: inputs is no list"),
        ((3, "[3]", "", "1", "train"), "row 4: inputs holds 3 in place of a text"),
        ((3, "['a', 'b']", "", "1", "train"), "row 4: 2 inputs where the rows before have 1"),
        ((3, "['x']", "", "1", "valid"), "row 4: set-0 is 'valid'"),
        ((3, "['x']", "", "", "train"), "row 4: no label"),
        ((3, "[('x', 0)]", "['x']", "1", "train"), r"row 4: input \('x', 0\) is not"),
        ((3, "[('x', 1, 0, 1)]", "['x']", "1", "train"), "no such place in a context of 1"),
        ((3, "[('x', 0, 2, 1)]", "['x']", "1", "train"), "no such place"),
        ((3, "[('x', 0, '0', 1)]", "['x']", "1", "train"), "not whole numbers"),
        ((3, "[('x', 0, 0, 1)]", "x", "1", "train"), "row 4: context is no list"),
    ],
)
def test_a_bad_row_is_named(tmp_path, bad, message):
    folder = write(tmp_path / "x", [*GOOD, bad])
    with pytest.raises(CorpusError, match=message) as caught:
        read_dataset(folder)
    assert "samples.csv" in str(caught.value)


def test_numbers_must_be_numbers(tmp_path):
    folder = write(tmp_path / "x", rows("['x']", labels=("1", "b", "2")), config="num_labels: 1")
    with pytest.raises(CorpusError, match="row 2: label 'b' is no number"):
        read_dataset(folder)


def test_bad_files_are_named(tmp_path):
    with pytest.raises(CorpusError, match=r"no column 'set-0'; it has id, inputs"):
        read_dataset(write(tmp_path / "a", [(1, "['x']")], columns=("id", "inputs", "label")))
    with pytest.raises(CorpusError, match="no row has set-0 = dev"):
        read_dataset(write(tmp_path / "b", [GOOD[0], GOOD[2]]))
    (write(tmp_path / "c", GOOD) / "samples.csv").write_bytes(b"inputs,label,set-0\n\xff,1,dev\n")
    with pytest.raises(CorpusError, match="cannot be read as CSV"):
        read_dataset(tmp_path / "c")
    (tmp_path / "c" / "samples.csv").write_text("a,b\n1,2,3\n4,5,6,7\n")
    with pytest.raises(CorpusError, match="cannot be read as CSV"):
        read_dataset(tmp_path / "c")


def test_data_sets_are_found_and_chosen(tmp_path):
    for name in ("b-two", "a", "b-one"):
        write(tmp_path / name, GOOD)
    (tmp_path / "empty").mkdir()
    names = [path.name for path in list_datasets(tmp_path)]
    assert names == ["a", "b-one", "b-two"]
    assert [path.name for path in list_datasets(tmp_path, only=("b-*",))] == ["b-one", "b-two"]
    assert list_datasets(tmp_path / "a") == [tmp_path / "a"]
    for folder, only, message in [
        (tmp_path / "none", (), "no such folder"),
        (tmp_path / "empty", (), "holds no data set"),
        (tmp_path, ("c*",), r"--only c\*"),
    ]:
        with pytest.raises(CorpusError, match=message):
            list_datasets(folder, only=only)


def test_the_hash_follows_the_samples_and_the_configuration(tmp_path):
    hashes = [
        dataset_hash(write(tmp_path / "a", GOOD)),
        dataset_hash(write(tmp_path / "b", GOOD)),
        dataset_hash(write(tmp_path / "b", GOOD, config="num_labels: 1")),
        dataset_hash(write(tmp_path / "a", GOOD[::-1])),
    ]
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 3


def test_the_map_keeps_phenomena_of_equal_name_in_different_fields_apart(tmp_path):
    known = shipped_map()
    assert known["blimp-npi_present_1"] == ("semantics", "negative polarity item licensing")
    assert known["blimp-only_npi_scope"] == ("syntax", "negative polarity item licensing")
    assert len({name for name in known if name.startswith("blimp-")}) == 67
    path = tmp_path / "map.csv"
    path.write_text("dataset,field,phenomenon\nmine,syntax,word order\n")
    assert read_map(path) == {"mine": ("syntax", "word order")}
    path.write_text("dataset,field\nmine,syntax\n")
    with pytest.raises(CorpusError, match="row 1: want dataset, field, phenomenon"):
        read_map(path)
    with pytest.raises(CorpusError, match="cannot be read"):
        read_map(tmp_path / "none.csv")


def test_the_map_is_the_public_one(shared):
    with (shared / "data" / "flash-holmes-map.csv").open(encoding="utf-8") as stream:
        facts = {
            row["dataset"]: (row["field"], row["phenomenon"]) for row in csv.DictReader(stream)
        }
    assert facts.items() <= shipped_map().items()
    assert len(np.unique([field for field, _ in facts.values()])) == 5
