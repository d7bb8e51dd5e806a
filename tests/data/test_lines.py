import gzip
import lzma

import pytest

from posprobe.core.errors import CorpusError
from posprobe.data.lines import read_lines

CONTENT = "\ufeffone\r\ntwo é\n\nfour".encode()
LINES = [(1, "one"), (2, "two é"), (3, ""), (4, "four")]


@pytest.mark.parametrize(
    ("name", "pack"), [("a.txt", bytes), ("a.txt.xz", lzma.compress), ("a.gz", gzip.compress)]
)
def test_lines_have_numbers_and_no_ends(tmp_path, name, pack):
    (tmp_path / name).write_bytes(pack(CONTENT))
    assert list(read_lines(tmp_path / name)) == LINES


def test_lines_are_read_while_asked_for(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"good\n" * 10 + b"\xe9\n")
    lines = read_lines(path)
    assert next(lines) == (1, "good")
    with pytest.raises(CorpusError, match=r"a\.txt:11: not UTF-8 \(byte 0xe9\)"):
        list(lines)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.xz", b"no archive"),
        ("a.gz", b"no archive"),
        ("a.xz", lzma.compress(CONTENT * 99)[:-20]),
        ("a.gz", gzip.compress(CONTENT * 99, mtime=0)[:-20]),
        ("a.txt", None),
    ],
)
def test_broken_files_are_named(tmp_path, name, content):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(CorpusError, match=f"{name}: cannot be read"):
        list(read_lines(tmp_path / name))
