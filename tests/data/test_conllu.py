import lzma
import re
from itertools import islice

import numpy as np
import pytest

from posprobe.core.errors import CorpusError
from posprobe.data.conllu import read_conllu


def _word(index, form, misc="_"):
    return "\t".join([index, form, *["_"] * 7, misc])


TREEBANK = "\n".join(
    [
        "# newdoc id = one",
        "# newpar",
        "# newpar_block = head (1 s)",
        "# text = A title",
        _word("1", "A"),
        _word("2", "title"),
        "",
        "# newpar id = one-2",
        "# newpar_block = p (2 s)",
        "# text = It's here.",
        _word("1", "irrelevant"),
        "",
        "# newpar_block = inner (1 s)",
        "# sent_id = 3",
        _word("1-2", "Don't", "SpaceAfter=No|X=1"),
        _word("1", "Do"),
        _word("2", "n't"),
        _word("2.1", "ghost"),
        _word("3", "!"),
        "",
        "# newdoc",
        "# text = No paragraphs marked.",
        _word("1", "No"),
        "",
        "",
        "# text = Last = best.",
        _word("1", "Last"),
    ]
)


def _write(tmp_path, text):
    path = tmp_path / "a.conllu"
    path.write_text(text, encoding="utf-8")
    return path


def test_documents_paragraphs_and_sentences(tmp_path):
    first, second = read_conllu(_write(tmp_path, TREEBANK))
    assert first.name == "one"
    assert first.paragraphs == (("A title",), ("It's here.", "Don't!"))
    assert second.paragraphs == (("No paragraphs marked.", "Last = best."),)
    assert second.name == "a.conllu:21"


def test_a_file_without_newdoc_is_one_document(tmp_path):
    (document,) = read_conllu(_write(tmp_path, _word("1", "Hi") + "\n\n" + _word("1", "You")))
    assert document.paragraphs == (("Hi", "You"),)
    assert document.name == "a.conllu"


def test_an_empty_file_holds_no_document(tmp_path):
    assert list(read_conllu(_write(tmp_path, "\n\n"))) == []


@pytest.mark.parametrize(
    ("line", "why"), [("plain prose", "1 columns"), (_word("x", "form"), "'x' is no word number")]
)
def test_other_content_is_refused_with_its_line(tmp_path, line, why):
    documents = read_conllu(_write(tmp_path, f"# newdoc\n{_word('1', 'Hi')}\n{line}\n"))
    with pytest.raises(CorpusError, match=rf"a\.conllu:3: {why}"):
        list(documents)


@pytest.mark.parametrize(("name", "count"), [("gum", 145), ("ewt", 1129)])
def test_real_treebanks(shared, name, count):
    path = shared / f"data/{name}.conllu.xz"
    documents = list(read_conllu(path))
    text = lzma.decompress(path.read_bytes()).decode()
    assert len(documents) == count
    assert [d.name for d in documents] == re.findall(r"^# newdoc id = (.+)$", text, re.M)
    sentences = [s for d in documents for paragraph in d.paragraphs for s in paragraph]
    assert sentences == re.findall(r"^# text = (.+?)\s*$", text, re.M)
    # A document whose first sentence carries no mark still begins with a paragraph.
    marks = len(re.findall(r"^# newpar(?: id = .*)?$", text, re.M))
    assert marks <= sum(len(d.paragraphs) for d in documents) <= marks + count // 50


def test_words_spell_the_text_of_a_real_treebank(shared, tmp_path):
    content = lzma.decompress((shared / "data/gum.conllu.xz").read_bytes()).decode()
    part = content[: content.index("# newdoc", 900_000)]
    given = list(read_conllu(_write(tmp_path, part)))
    joined = list(read_conllu(_write(tmp_path, re.sub(r"(?m)^# text = .*\n", "", part))))
    assert [d.paragraphs for d in joined] == [d.paragraphs for d in given]


FULL = "\n".join(
    [
        "# text = Don't  go to Rome.",
        "1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_",
        "1\tDo\tdo\tAUX\tVBP\tMood=Imp\t3\taux\t3:aux\tA=1",
        "2\tn't\tnot\tPART\tRB\tPolarity=Neg\t3\tadvmod\t_\t_",
        "3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_",
        "4\tto\tto\tADP\tIN\t_\t5\tcase\t_\t_",
        "5\tRome\tRome\tPROPN\tNNP\t_\t3\tobl\t_\tSpaceAfter=No",
        "5.1\tghost\t_\t_\t_\t_\t_\t_\t_\t_",
        "6\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_",
        "",
        "# newpar",
        "# text = Yes go",
        "1\tYes\tyes\tINTJ\tUH\t_\t2\tdiscourse\t_\t_",
        "2\tmisspelled\tgo\tVERB\tVB\t_\t0\troot\t_\t_",
    ]
)


def test_annotation_keeps_every_layer(tmp_path):
    path = _write(tmp_path, FULL)
    (document,) = read_conllu(path, annotated=True)
    assert document.text == "Don't  go to Rome.\n\nYes go"
    found = document.annotation
    assert found is not None
    assert len(found) == 8
    assert found.form == ("Do", "n't", "go", "to", "Rome", ".", "Yes", "misspelled")
    assert found.lemma[:3] == ("do", "not", "go")
    assert found.upos[:3] == ("AUX", "PART", "VERB")
    assert found.xpos[-1] == "VB"
    assert found.feats[:3] == ("Mood=Imp", "Polarity=Neg", "_")
    assert found.deprel[4:6] == ("obl", "punct")
    assert found.deps[0] == "3:aux"
    assert found.misc[0] == "A=1"
    assert found.head.tolist() == [2, 2, -1, 4, 2, 2, 7, -1]
    assert found.sentence.tolist() == [0] * 6 + [1] * 2
    spelled = [document.text[a:b] for a, b in zip(found.start, found.end, strict=True)]
    assert spelled == ["Don't", "Don't", "go", "to", "Rome", ".", "Yes", ""]
    assert (found.start[-1], found.end[-1]) == (-1, -1)


def test_the_text_is_the_same_with_and_without_annotation(tmp_path):
    path = _write(tmp_path, TREEBANK)
    assert list(read_conllu(path)) == list(read_conllu(path, annotated=True))
    assert all(document.annotation is None for document in read_conllu(path))


@pytest.mark.parametrize("name", ["gum", "ewt"])
def test_words_are_found_in_real_treebanks(shared, name):
    words = spelled = contractions = 0
    for document in islice(read_conllu(shared / f"data/{name}.conllu.xz", annotated=True), 10):
        found = document.annotation
        assert found is not None
        words += len(found)
        contractions += int((np.diff(found.start) == 0).sum())
        spans = document.spans()
        for place in range(len(found)):
            spelled += document.text[found.start[place] : found.end[place]] == found.form[place]
            span = spans[found.sentence[place]]
            assert span.start <= found.start[place] < found.end[place] <= span.end
            if found.head[place] >= 0:
                assert found.sentence[found.head[place]] == found.sentence[place]
        roots = [found.deprel[place] for place in np.flatnonzero(found.head < 0)]
        assert roots == ["root"] * len(spans)
    assert words > 500
    assert words - 2.5 * contractions < spelled < words


def test_equal_strings_are_kept_once(shared):
    (document,) = islice(read_conllu(shared / "data/gum.conllu.xz", annotated=True), 1)
    assert document.annotation is not None
    tags = document.annotation.upos
    assert len({id(tag) for tag in tags}) == len(set(tags))
