import lzma

import pytest
from pyarrow import table
from pyarrow.parquet import write_table

from posprobe.core.errors import CorpusError
from posprobe.data.readers import read_documents


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", b"Hello."),
        ("a.jsonl", b'{"text": "Hello."}'),
        ("a.conllu", b"# text = Hello.\n" + b"\t".join([b"1"] * 10)),
        ("a.conllu.xz", lzma.compress(b"# text = Hello.\n" + b"\t".join([b"1"] * 10))),
    ],
)
def test_the_ending_decides(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert [d.text for d in read_documents(tmp_path / name)] == ["Hello."]


def test_parquet_and_annotation_are_passed_on(tmp_path):
    write_table(table({"body": ["Hello."]}), tmp_path / "a.parquet")
    assert [d.text for d in read_documents(tmp_path / "a.parquet", column="body")] == ["Hello."]
    (tmp_path / "a.conllu").write_text("\t".join(["1", "Hi", *"_" * 8]))
    (document,) = read_documents(tmp_path / "a.conllu", annotated=True)
    assert document.annotation is not None
    assert document.annotation.form == ("Hi",)


def test_parquet_is_not_read_through_another_compression(tmp_path):
    (tmp_path / "a.parquet.gz").write_bytes(b"")
    with pytest.raises(CorpusError, match=r"cannot read \.parquet"):
        read_documents(tmp_path / "a.parquet.gz")


def test_a_folder_gives_its_text_files_in_order(tmp_path):
    for name in ("b.txt", "a.txt", "sub/c.txt", "a.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{name}\n===\nSame document.")
    documents = list(read_documents(tmp_path))
    assert [d.text.split()[0] for d in documents] == ["a.txt", "b.txt", "sub/c.txt"]


def test_the_column_is_passed_on(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"body": "Hello."}')
    assert [d.text for d in read_documents(tmp_path / "a.jsonl", column="body")] == ["Hello."]


def test_wrong_paths_are_refused_before_anything_is_read(tmp_path):
    (tmp_path / "a.pdf").write_text("x")
    with pytest.raises(CorpusError, match=r"cannot read \.pdf"):
        read_documents(tmp_path / "a.pdf")
    with pytest.raises(CorpusError, match="no such file"):
        read_documents(tmp_path / "none.txt")
    with pytest.raises(CorpusError, match=r"no \.txt"):
        read_documents(tmp_path)
