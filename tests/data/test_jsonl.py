import json

import pytest

from posprobe.core.errors import CorpusError
from posprobe.data.jsonl import read_jsonl


def _write(tmp_path, *lines):
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_one_document_a_line(tmp_path):
    rows = ({"text": "One.\n\nTwo é."}, {"text": "", "id": 3})
    path = _write(tmp_path, json.dumps(rows[0]), "", json.dumps(rows[1], ensure_ascii=False))
    first, second = read_jsonl(path)
    assert first.paragraphs == (("One.",), ("Two é.",))
    assert second.paragraphs == ()
    assert second.name == f"{path}:3"


def test_another_column(tmp_path):
    path = _write(tmp_path, '{"text": 1, "body": "Here."}')
    assert [d.text for d in read_jsonl(path, column="body")] == ["Here."]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('["text"]', "not a JSON object"),
        ('{"body": "x", "id": 1}', "no column 'text'; it has 'body', 'id'"),
        ("{}", "it has none"),
        ('{"text": null}', "holds no text but None"),
        ('{"text": "a\\ud800"}', "surrogate at 1"),
    ],
)
def test_bad_lines_are_named(tmp_path, line, why):
    documents = read_jsonl(_write(tmp_path, '{"text": "Good."}', line))
    assert next(documents).text == "Good."
    with pytest.raises(CorpusError, match=why) as error:
        next(documents)
    assert "a.jsonl:2" in str(error.value)
