import pytest
from pyarrow import table
from pyarrow.parquet import ParquetWriter, write_table

from posprobe.core.errors import CorpusError
from posprobe.data.parquet import ROWS, read_parquet


def test_one_document_a_row(tmp_path):
    path = tmp_path / "a.parquet"
    write_table(table({"id": [1, 2], "text": ["One. Two.\n\nThree é.", ""]}), path)
    first, second = read_parquet(path)
    assert first.paragraphs == (("One.", "Two."), ("Three é.",))
    assert second.paragraphs == ()
    assert second.name == f"{path}:1"


def test_rows_are_counted_over_groups(tmp_path):
    path = tmp_path / "a.parquet"
    rows = table({"body": [f"Row {row}." for row in range(ROWS + 10)]})
    with ParquetWriter(path, rows.schema) as writer:
        writer.write_table(rows)
        writer.write_table(rows)
    documents = list(read_parquet(path, column="body"))
    assert len(documents) == 2 * (ROWS + 10)
    assert documents[-1].name == f"{path}:{2 * ROWS + 19}"
    assert documents[-1].text == f"Row {ROWS + 9}."


@pytest.mark.parametrize("values", [["Good.", None], [1, 2]])
def test_a_row_without_text_is_named(tmp_path, values):
    path = tmp_path / "a.parquet"
    write_table(table({"text": values}), path)
    with pytest.raises(CorpusError, match=r"a\.parquet:\d: column 'text' holds no text but"):
        list(read_parquet(path))


def test_what_is_wrong_with_a_file_is_named(tmp_path):
    path = tmp_path / "a.parquet"
    write_table(table({"body": ["x"], "id": [1]}), path)
    with pytest.raises(CorpusError, match="no column 'text'; it has 'body', 'id'"):
        list(read_parquet(path))
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(CorpusError, match="cannot be read as Parquet"):
        list(read_parquet(path))
    with pytest.raises(CorpusError, match="cannot be read as Parquet"):
        list(read_parquet(tmp_path / "none.parquet"))
