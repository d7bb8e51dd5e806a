import json

import pytest

from posprobe.core.errors import UserError
from posprobe.core.files import write_text
from posprobe.report.saved import read_reports, saved_folders
from posprobe.report.saved_pages import saved_report
from tests.figures import comparisons, decompositions, probings, samples
from tests.report import everything

MADE = {
    "manifold": lambda: samples.manifold_result(samples.manifold(), samples.undefined_manifold()),
    "heads": samples.undefined_heads,
    "adjacency": lambda: samples.adjacency_result(heads=2),
    "probe": probings.probes_result,
    "compare": comparisons.result,
    "decomposition": decompositions.sample,
}


def _save(made, folder):
    return write_text(folder / f"{made.measure}.json", made.json())


@pytest.mark.parametrize("measure", MADE)
def test_what_was_saved_is_read_back_and_makes_the_same_files(tmp_path, measure):
    made = everything.report(measure, MADE[measure]())
    saved = tmp_path / "saved.json"
    saved.write_text(made.json(), encoding="utf-8")
    (again,) = read_reports(saved)
    assert type(again.result) is type(made.result)
    assert again.json() == made.json()
    assert again.csv() == made.csv()
    assert again.provenance == made.provenance
    assert again.headline() == made.headline()


def test_a_folder_is_read_in_the_order_of_a_page(tmp_path):
    for made in reversed(everything.reports()):
        _save(made, tmp_path)
    (tmp_path / "config.json").write_text('{"family": "encoder"}')
    found = read_reports(tmp_path)
    assert [report.measure for report in found] == ["manifold", "heads", "adjacency"]


def test_a_page_of_several_is_read_from_its_download(tmp_path):
    made = everything.full_report()
    (tmp_path / "report.json").write_text(made.json())
    assert len(read_reports(tmp_path / "report.json")) == len(made.reports)


def test_what_was_left_out_is_said_again(tmp_path):
    made = everything.full_report()
    made.save(tmp_path / "saved")
    (tmp_path / "whole.json").write_text(made.json())
    for path in (tmp_path / "saved", tmp_path / "whole.json"):
        again = saved_report([path])
        assert again.left_out == made.left_out
        assert len(again.reports) == len(made.reports)
    (tmp_path / "saved" / "report.json").write_text(
        '{"schema_version": 1, "reports": [], "left_out": [3]}'
    )
    with pytest.raises(UserError, match=r"report\.json: left_out"):
        saved_report([tmp_path / "saved"])


def test_folders_with_reports_are_found(tmp_path):
    with pytest.raises(UserError, match="no saved reports"):
        saved_folders(tmp_path)
    for name in ("a", "b"):
        _save(everything.reports()[1], tmp_path / name)
    (tmp_path / "c").mkdir()
    assert saved_folders(tmp_path) == (tmp_path / "a", tmp_path / "b")
    assert saved_folders(tmp_path / "b") == (tmp_path / "b",)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.update(schema_version=2), "has version 2 of the format"),
        (lambda d: d.update(measure="mood"), "has measure 'mood'"),
        (lambda d: d.pop("provenance"), "lacks provenance"),
        (lambda d: d["result"].pop("share"), "result: lacks ['share']"),
        (lambda d: d["result"].update(share=[[0.5]]), "result.share: expected an array"),
        (lambda d: d["provenance"].update(seed="zero"), "provenance.seed: expected int"),
    ],
)
def test_damage_is_one_line_that_names_the_file_and_the_place(tmp_path, change, words):
    path = _save(everything.reports()[1], tmp_path)
    value = json.loads(path.read_text(encoding="utf-8"))
    change(value)
    path.write_text(json.dumps(value))
    with pytest.raises(UserError) as raised:
        read_reports(path)
    assert words in str(raised.value)
    assert str(path) in str(raised.value)


@pytest.mark.parametrize(
    ("text", "words"), [("{", "is not JSON"), ("[]", "is not the JSON file of a report")]
)
def test_other_files_are_refused(tmp_path, text, words):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(UserError, match=words):
        read_reports(path)
    with pytest.raises(UserError, match="no such file"):
        read_reports(tmp_path / "gone.json")
