import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from posprobe.core.errors import UserError
from posprobe.report.report import Report
from tests.figures import holmes_scores, probings, samples


@pytest.fixture
def report():
    result = samples.manifold_result(samples.manifold(), samples.undefined_manifold())
    return Report(measure="manifold", result=result, provenance=samples.provenance())


def _strict(text):
    def refuse(word):
        raise AssertionError(word)

    return json.loads(text, parse_constant=refuse)


def test_save_writes_three_files_and_nothing_else(report, tmp_path):
    paths = report.save(tmp_path / "dstg-small")
    assert [path.name for path in paths] == ["manifold.html", "manifold.json", "manifold.csv"]
    assert sorted(paths) == sorted((tmp_path / "dstg-small").iterdir())
    assert paths[0].read_text(encoding="utf-8") == report.html()


def test_a_failure_leaves_the_old_files_alone(report, tmp_path, monkeypatch):
    (tmp_path / "manifold.html").write_text("old")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr(Report, "csv", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        replace(report, provenance=samples.provenance(seed=1)).save(tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("measure", "result"),
    [
        (
            "manifold",
            samples.manifold_result(samples.manifold(), samples.undefined_manifold()),
        ),
        ("heads", samples.undefined_heads()),
        ("adjacency", samples.adjacency_result()),
        ("probe", probings.probes_result()),
        ("holmes", holmes_scores.holmes_result()),
    ],
)
def test_json_is_strict_and_complete(measure, result):
    report = Report(measure=measure, result=result, provenance=samples.provenance())
    read = _strict(report.json())
    assert list(read) == ["schema_version", "measure", "result", "provenance"]
    assert (read["schema_version"], read["measure"]) == (1, measure)
    assert read["result"] == _strict(result.to_json())
    assert read["provenance"]["checkpoints"][0]["sha256"] == "3f" * 32


def test_undefined_numbers_are_null():
    report = Report(
        measure="heads", result=samples.undefined_heads(), provenance=samples.provenance()
    )
    assert _strict(report.json())["result"]["share"][0][1] == [None, None, None]


def test_equal_numbers_give_equal_bytes(report):
    again = Report(
        measure="manifold",
        result=samples.manifold_result(samples.manifold(), samples.undefined_manifold()),
        provenance=samples.provenance(seed=7, command="another command"),
    )
    parts = [r.json().split('"provenance"')[0] for r in (report, again)]
    assert parts[0] == parts[1]
    assert report.json() != again.json()
    assert report.csv() == again.csv()


def test_csv_is_the_frame(report):
    rows = list(csv.DictReader(io.StringIO(report.csv())))
    frame = report.result.to_frame()
    assert list(rows[0]) == list(frame.columns)
    # Every digit is there: the numbers come back as they were.
    read = [float(row["value"] or "nan") for row in rows]
    np.testing.assert_array_equal(read, frame["value"])
    assert [row["label"] for row in rows] == frame["label"].tolist()


def test_table_and_headline_are_small(report):
    table = report.table()
    assert table["top2"][0] == report.result.manifolds[0].top2
    assert len(table) == 2
    assert len(report.headline()) == 4


def test_notebooks_get_a_frame_without_plotly(report):
    shown = report._repr_html_()
    assert shown.startswith("<iframe ")
    assert "plotly.js v" not in shown
    assert shown.count("<") == 2
    assert "In numbers" in shown


def test_an_unknown_measure_is_an_error_that_names_the_known():
    with pytest.raises(UserError, match="'probes': choose among manifold, heads, adjacency"):
        Report(measure="probes", result=samples.manifold_result(), provenance=samples.provenance())
