"""Data sets made from BLiMP and from treebanks."""

import json
import lzma
from collections import Counter
from zipfile import ZipFile

import numpy as np
import pytest

from posprobe.core.errors import CorpusError
from posprobe.data.conllu import read_conllu
from posprobe.data.holmes.blimp import blimp_datasets
from posprobe.data.holmes.folder import read_dataset
from posprobe.data.holmes.map import shipped_map
from posprobe.data.holmes.reservoir import Reservoir
from posprobe.data.holmes.sentences import treebank_sentences
from posprobe.data.holmes.treebank import TREEBANK_TASKS
from posprobe.data.holmes.treebank_draw import treebank_datasets
from posprobe.data.holmes.writing import Row, draw_splits, write_dataset

DOCUMENTS = 12


def pairs(n):
    lines = [{"sentence_good": f"Good {i}.", "sentence_bad": f"Bad {i}."} for i in range(n)]
    return "\n".join(map(json.dumps, lines))


def test_minimal_pairs_stay_together(tmp_path):
    with ZipFile(tmp_path / "b.zip", "w") as stream:
        stream.writestr("data/wh_island.jsonl", pairs(50))
        stream.writestr("__MACOSX/data/._wh_island.jsonl", b"\x00\xb0")
    ((name, rows),) = blimp_datasets(tmp_path / "b.zip", seed=1)
    assert name == "blimp-wh_island"
    split = {row.texts[0]: row.split for row in rows}
    assert len(split) == 100
    assert all(split[f"Good {i}."] == split[f"Bad {i}."] for i in range(50))
    assert Counter(row.split for row in rows) == {"train": 60, "dev": 20, "test": 20}
    labels = {row.label for row in rows if row.texts[0].startswith("Good")}
    assert labels == {"1"}
    assert [r.split for _, rs in blimp_datasets(tmp_path / "b.zip", seed=2) for r in rs] != [
        row.split for row in rows
    ]


def test_a_sentence_is_in_one_pair_only(tmp_path):
    lines = [("A", "B"), ("C", "B"), ("B", "D"), ("D", "E"), ("F", "G"), ("H", "I"), ("J", "K")]
    text = "\n".join(json.dumps({"sentence_good": g, "sentence_bad": b}) for g, b in lines)
    (tmp_path / "x.jsonl").write_text(text)
    ((_, rows),) = blimp_datasets(tmp_path, seed=0)
    assert sorted(row.texts[0] for row in rows) == list("ABFGHIJK")


@pytest.mark.parametrize(
    ("text", "message"),
    [("{}", "x.jsonl:1: not a JSON object with"), ("no", ":1: not a"), ("[1]", ":1: not a")],
)
def test_a_line_that_is_no_pair_is_named(tmp_path, text, message):
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises(CorpusError, match=message):
        list(blimp_datasets(tmp_path / "x.jsonl", seed=0))


def test_sources_that_hold_nothing(tmp_path):
    with pytest.raises(CorpusError, match=r"holds no \.jsonl"):
        list(blimp_datasets(tmp_path, seed=0))
    (tmp_path / "x.zip").write_text("no zip")
    with pytest.raises(CorpusError, match="cannot be read"):
        list(blimp_datasets(tmp_path / "x.zip", seed=0))


def test_what_is_written_is_read_again(tmp_path):
    texts = ('One\'s "end", and', "Two.\nThree")
    rows = [
        Row(texts=texts, label=label, split=split, places=(("end", 0, 7, 10), ("Two", 1, 0, 3)))
        for label, split in [("b", "train"), ("a", "dev"), ("b", "test")]
    ]
    data = read_dataset(write_dataset(tmp_path / "x", rows, kind="class"))
    assert data.texts == texts
    assert [(s.text, s.start, s.end) for part in data.samples[0] for s in part] == [
        (0, 7, 10),
        (1, 0, 3),
    ]
    assert data.labels.tolist() == [1, 0, 1]
    config = (tmp_path / "x" / "config-none.yaml").read_text()
    assert "num_labels: 2\n" in config
    assert "probe_task_type: SENTENCE_PAIR_TOKENS_BI\n" in config
    numbers = [
        Row(texts=("x",), label=float(i), split=s) for i, s in enumerate(("train", "dev", "test"))
    ]
    assert read_dataset(write_dataset(tmp_path / "x", numbers, kind="number")).kind == "number"


def test_a_reservoir_is_fair():
    counts = np.zeros(10)
    for seed in range(2000):
        reservoir = Reservoir(3, np.random.default_rng(seed))
        for item in range(10):
            reservoir.offer(item)
        kept = reservoir.items()
        assert kept == sorted(kept)
        counts[kept] += 1
    assert counts.sum() == 6000
    assert np.abs(counts - 600).max() < 5 * np.sqrt(600 * 0.7)


def word(index, form, upos, *, feats="_", head="0", deprel="root", misc="_"):
    return "\t".join([str(index), form, form, upos, "_", feats, str(head), deprel, "_", misc])


def document(name):
    return "\n".join(
        [
            f"# newdoc id = {name}",
            "# s_type = decl",
            "# text = Ann's dog in Paris don't bark",
            word(
                1,
                "Ann",
                "PROPN",
                head=3,
                deprel="nmod:poss",
                misc="Discourse=ROOT:1:0|Entity=(1-person-new-s-cf-1-sgl-Ann-X)|SpaceAfter=No",
            ),
            word(2, "'s", "PART", head=1, deprel="case"),
            word(
                3,
                "dog",
                "NOUN",
                feats="Number=Sing",
                head=8,
                deprel="nsubj",
                misc="Entity=(2-animal-new-s-cf-1-sgl",
            ),
            word(4, "in", "ADP", head=5, deprel="case"),
            word(
                5,
                "Paris",
                "PROPN",
                head=3,
                deprel="nmod",
                misc="Entity=(3-place-new-s-cf-1-sgl-Paris)2)",
            ),
            "6-7\tdon't\t_\t_\t_\t_\t_\t_\t_\t_",
            word(6, "do", "AUX", feats="Tense=Pres|VerbForm=Fin", head=8, deprel="aux"),
            word(7, "n't", "PART", feats="Polarity=Neg", head=8, deprel="advmod"),
            word(
                8,
                "bark",
                "VERB",
                misc="Discourse=causal-cause:2->1:0:_;joint-list:2->1:0|Entity=(4[1/2]-event-new-s-cf-1-sgl-Bark)",
            ),
            "",
            "# s_type = imp",
            "# text = Saw cats",
            word(
                1,
                "Saw",
                "VERB",
                feats="Tense=Past|VerbForm=Fin",
                misc="Discourse=same-unit_m:3->2:0",
            ),
            word(
                2,
                "cats",
                "NOUN",
                feats="Number=Plur",
                head=1,
                deprel="obj",
                misc="Discourse=elaboration-attribute:4->1:0",
            ),
            "",
        ]
    )


@pytest.fixture
def items(tmp_path):
    """What each task makes of one small document."""
    path = tmp_path / "a.conllu"
    path.write_text(document("a"), encoding="utf-8")
    (read,) = read_conllu(path, annotated=True)
    sentences = list(treebank_sentences(read))

    def of(name):
        found = list(TREEBANK_TASKS[name].make(sentences, np.random.default_rng(0)))
        return [
            (*(item.texts[t][a:b] for t, a, b in item.places or ()), item.label) for item in found
        ]

    return of


def test_words_of_a_treebank(items):
    assert items("treebank-number") == [("dog", "Sing"), ("cats", "Plur")]
    # `do` and `n't` share one place, so neither has a vector of its own.
    assert items("treebank-tense") == [("Saw", "Past")]
    assert ("don't", "AUX") not in items("treebank-pos")
    assert len(items("treebank-pos")) == 8
    assert ("Ann", "dog", "nmod") in items("treebank-dependency")


def test_sentences_of_a_treebank(items):
    assert items("treebank-sentence-type") == [("decl",), ("imp",)]
    assert items("treebank-negation") == [("negated",), ("plain",)]
    # 's → Ann → dog → bark
    assert items("treebank-depth") == [(3.0,), (1.0,)]


def test_named_entities_of_a_treebank(items):
    # The dog has no name, and `bark` is a piece of a mention with a gap.
    assert items("treebank-entity") == [("Ann", "person"), ("Paris", "place")]


def test_discourse_relations_of_a_treebank(items):
    assert items("treebank-relation") == [
        ("bark", "Ann's dog in Paris don't", "causal"),
        ("cats", "Ann's dog in Paris don't", "elaboration"),
    ]


def test_pairs_of_sentences_of_a_treebank(tmp_path):
    path = tmp_path / "a.conllu"
    lines = "\n".join(f"# text = S{i}\n{word(1, f'S{i}', 'X')}\n" for i in range(60))
    path.write_text(lines, encoding="utf-8")
    (read,) = read_conllu(path, annotated=True)
    sentences = list(treebank_sentences(read))
    rng = np.random.default_rng(0)
    order = list(TREEBANK_TASKS["treebank-order"].make(sentences, rng))
    assert len(order) == 30
    assert len({text for item in order for text in item.texts}) == 60
    for item in order:
        first, second = (int(text[1:]) for text in item.texts)
        assert second - first == (1 if item.label == "in order" else -1)
    follow = list(TREEBANK_TASKS["treebank-next"].make(sentences, rng))
    for item in follow:
        first, second = (int(text[1:]) for text in item.texts)
        assert (second == first + 1) == (item.label == "next")
        assert first != second
    assert 15 < sum(item.label == "next" for item in follow) < 45


@pytest.fixture(scope="module")
def gum(shared, tmp_path_factory):
    """The first documents of GUM."""
    kept, begun = [], 0
    with lzma.open(shared / "data" / "gum.conllu.xz", "rt", encoding="utf-8") as stream:
        for line in stream:
            begun += line.startswith("# newdoc")
            if begun > DOCUMENTS:
                break
            kept.append(line)
    path = tmp_path_factory.mktemp("gum") / "gum.conllu"
    path.write_text("".join(kept), encoding="utf-8")
    return path


def test_documents_are_never_divided(gum):
    paths = [gum]
    found = {name: rows for name, rows, _ in treebank_datasets(paths, samples=300, seed=0)}
    assert set(found) == set(TREEBANK_TASKS)
    assert set(found) <= set(shipped_map())
    splits = draw_splits(DOCUMENTS, seed=0)
    of = {}
    for document, split in zip(read_conllu(paths[0]), splits, strict=True):
        for sentences in document.paragraphs:
            for text in sentences:
                of.setdefault(text, set()).add(split)
    for name, rows in found.items():
        assert len(rows) <= 300
        assert all(row.split in of[text] for row in rows for text in row.texts), name
        for row in rows:
            assert all(row.texts[t][a:b] == words for words, t, a, b in row.places)
    fields = {shipped_map()[name][0] for name in found}
    assert fields == {"morphology", "syntax", "semantics", "reasoning", "discourse"}


def test_what_a_treebank_is_not_annotated_for_is_left_out(tmp_path):
    lines = [
        f"# newdoc id = {d}\n"
        + "\n".join(
            f"# text = A dog {i}\n{word(1, 'A', 'DET', head=2)}\n{word(2, 'dog', 'NOUN', head=0)}\n"
            for i in range(10)
        )
        for d in range(10)
    ]
    path = tmp_path / "x.conllu"
    path.write_text("\n".join(lines))
    names = {name for name, *_ in treebank_datasets([path], samples=200, seed=0)}
    assert names == {"treebank-pos", "treebank-order", "treebank-next"}


def test_too_few_documents(tmp_path):
    path = tmp_path / "x.conllu"
    path.write_text(document("a"))
    with pytest.raises(CorpusError, match="1 documents; the three splits need at least 3"):
        list(treebank_datasets([path], samples=100, seed=0))


def test_the_same_seed_gives_the_same_data(tmp_path):
    path = tmp_path / "x.conllu"
    path.write_text("\n".join(document(f"d{i}") for i in range(30)), encoding="utf-8")

    def rows(seed):
        return {name: rows for name, rows, _ in treebank_datasets([path], samples=60, seed=seed)}

    first = rows(3)
    assert first == rows(3)
    assert first != rows(4)
