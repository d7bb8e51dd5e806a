import lzma
import re

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
