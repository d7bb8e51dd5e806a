import pytest

from posprobe.data.plain_text import paragraphs_of, read_plain_text


def _read(tmp_path, text, **options):
    path = tmp_path / "a.txt"
    path.write_text(text, encoding="utf-8")
    return list(read_plain_text(path, **options))


def test_empty_lines_part_paragraphs_and_lines_are_joined(tmp_path):
    (document,) = _read(tmp_path, "\nOne\n  line. \n \t\n\nTwo.\nMore.\n")
    assert document.paragraphs == (("One line.",), ("Two.", "More."))


@pytest.mark.parametrize("separator", ["\n===\n", "\n\n === \n\n", "\n\f\n", "\f"])
def test_separators_part_documents(tmp_path, separator):
    documents = _read(tmp_path, f"One.{separator}Two.\n\nThree.\n")
    assert [d.paragraphs for d in documents] == [(("One.",),), (("Two.",), ("Three.",))]


def test_longer_rules_are_text(tmp_path):
    (document,) = _read(tmp_path, "Heading\n=======\n")
    assert document.text == "Heading ======="


def test_empty_documents_are_none(tmp_path):
    assert _read(tmp_path, "===\n\n===\n\f\n") == []
    assert _read(tmp_path, "") == []


def test_a_document_is_named_by_its_first_line(tmp_path):
    names = [document.name for document in _read(tmp_path, "One.\n===\nTwo.\n\fThree.\n")]
    assert [name.rpartition(":")[2] for name in names] == ["1", "3", "4"]


def test_a_whole_file_is_one_document(tmp_path):
    (document,) = _read(tmp_path, "One.\n\n===\n\nTwo.\fThree.\n", whole=True)
    assert document.paragraphs[0] == ("One.",)
    assert len(document.paragraphs) == 3
    assert document.name.endswith("a.txt")


def test_paragraphs_of_a_string_are_those_of_a_file(tmp_path):
    text = "\n\nOne\nline.\r\n\r\nTwo.\n\n\n"
    assert _read(tmp_path, text)[0].paragraphs == paragraphs_of(text)
    assert paragraphs_of(" \n ") == ()
