import json
from dataclasses import replace

import pytest

from posprobe.core.errors import UserError
from posprobe.report.full_report import FullReport
from posprobe.report.saved import read_reports
from tests.figures import comparisons, samples, trainings
from tests.report import everything
from tests.report.pages import Page, number


@pytest.fixture(scope="module")
def pair():
    return everything.full_report()


@pytest.fixture(scope="module")
def text(pair):
    return pair.html()


def test_anchors_are_unique_and_lead_somewhere(text):
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    anchors = {a["href"][1:] for _, a in page.tags if (a.get("href") or "").startswith("#")}
    assert anchors <= set(page.ids)
    keys = [
        f"{m}-{n}" for m in ("manifold", "heads", "adjacency") for n in ("dstg-tiny", "ap-tiny")
    ]
    assert [a["id"] for _, a in page.tags if a.get("class") == "part" and "id" in a] == keys
    assert {"heads-ap-tiny-map", "adjacency-dstg-tiny-layers", "headline"} <= set(page.ids)


def test_one_checkpoint_needs_no_name_in_its_anchors():
    parts = everything.full_report(everything.NAMES[0]).parts()
    assert [part.key for part in parts] == ["manifold", "heads", "adjacency"]
    assert next(iter(parts[1].blocks())).figure.id == "heads-map"


def test_plotly_is_there_once(text):
    assert text.count('id="plotly"') == 1


def test_every_measure_speaks_in_a_summary_of_three_to_six_sentences(pair):
    told = pair.headline()[:-1]
    assert len(told) == 6
    assert told == tuple(report.headline()[0] for report in pair.reports)
    one = everything.full_report(everything.NAMES[0])
    assert len(one.headline()[:-1]) == 4
    assert set(one.headline()[:-1]) <= {s for r in one.reports for s in r.headline()}
    alone = FullReport(reports=one.reports[:1], command="c")
    assert alone.headline() == one.reports[0].headline()


def test_what_is_left_out_is_said(pair, text):
    assert "since it was not asked for" in pair.headline()[-1]
    assert "Left out: probe of dstg-tiny" in "".join(Page(text).text)


def test_numbers_of_checkpoints_stand_side_by_side(pair, text):
    rows = {row["number"]: row for row in Page(text).table("Side by side")}
    for column, index in (("dstg-tiny", 0), ("ap-tiny", 1)):
        manifold, heads = pair.reports[index].result.manifolds[0], pair.reports[2 + index].result
        shown = rows["position table: variance in PC1–2"][column]
        assert number(shown) == pytest.approx(manifold.top2, abs=5e-4)
        assert number(rows["semantic heads"][column]) == heads.class_counts["semantic"]
    assert pair.table().columns.tolist() == ["number", "dstg-tiny", "ap-tiny"]
    assert everything.full_report(everything.NAMES[0]).table() is None


def test_what_one_checkpoint_lacks_is_empty():
    reports = everything.full_report().reports[:3]
    frame = FullReport(reports=reports, command="c").table().set_index("number")
    assert frame.loc["semantic heads"].isna().tolist() == [False, True]


def test_equal_explanations_are_given_once(text):
    # Manifold and adjacency say the same of both checkpoints, and so do heads of equal terms.
    assert "".join(Page(text).text).count("What is measured") == 3


def test_save_writes_a_page_and_the_data_of_each_measure(pair, text, tmp_path):
    paths = pair.save(tmp_path)
    assert paths[0].read_text(encoding="utf-8") == text
    assert paths[0].name == "report.html"
    names = {f"{part.key}.{kind}" for part in pair.parts() for kind in ("json", "csv")}
    assert {path.name for path in paths[1:]} == names | {"report.json"}
    page = Page(text)
    links = [a["href"] for tag, a in page.tags if tag == "a" and not a["href"].startswith("#")]
    assert set(links) == names


def test_figures_are_written_under_the_names_of_their_anchors(tmp_path):
    reports = everything.full_report().reports[2:4]
    paths = FullReport(reports=reports, command="c").save_figures(tmp_path)
    assert {path.suffix for path in paths} == {".png", ".svg"}
    assert {"heads-dstg-tiny-map.png", "heads-ap-tiny-map.svg"} <= {path.name for path in paths}


def test_a_page_can_be_made_again_from_what_it_carries(pair, tmp_path):
    saved = tmp_path / "report.json"
    saved.write_text(pair.json())
    again = FullReport(reports=read_reports(saved), command=pair.command, left_out=pair.left_out)
    assert again.json() == pair.json()
    assert again.headline() == pair.headline()
    assert json.loads(pair.json())["schema_version"] == 1


def test_the_training_of_all_checkpoints_is_drawn_once():
    records = (trainings.trained(), trainings.trained("ap-tiny"))
    reports = [
        replace(report, provenance=replace(made, checkpoints=(replace(source, trained=record),)))
        for report, record in zip(everything.full_report().reports[2:4], records, strict=True)
        for made in (report.provenance,)
        for source in made.checkpoints
    ]
    page = Page(FullReport(reports=tuple(reports), command="c").html())
    assert page.ids.count("training") == 1
    rows = page.table("How each was trained")
    assert [row["checkpoint"] for row in rows] == ["dstg-tiny", "ap-tiny"]


def test_twice_the_same_measure_of_the_same_checkpoint_has_two_anchors():
    reports = everything.reports()[1:2] * 2
    keys = [part.key for part in FullReport(reports=reports, command="c").parts()]
    assert keys == ["heads-dstg-tiny", "heads-dstg-tiny-2"]


def test_notebooks_get_a_frame_without_plotly():
    shown = FullReport(reports=everything.reports()[1:2], command="c")._repr_html_()
    assert shown.startswith("<iframe ")
    assert 'id="plotly"' not in shown
    assert len(shown) < 3_000_000


def test_names_cannot_become_markup():
    made = everything.report("heads", samples.heads_result(layers=1), samples.NASTY)
    more = everything.report("compare", comparisons.result(a=samples.NASTY), samples.NASTY)
    text = FullReport(reports=(made, more), command=samples.NASTY, left_out=(samples.NASTY,)).html()
    assert "<script>alert" not in text


def test_a_page_of_nothing_is_an_error():
    with pytest.raises(UserError, match="nothing was measured"):
        FullReport(reports=(), command="c")
