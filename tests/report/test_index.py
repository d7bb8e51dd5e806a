import shutil

import pytest

from posprobe.report.full_report import FullReport
from posprobe.report.index import ACROSS, write_index
from tests.figures import comparisons, samples
from tests.report import everything
from tests.report.pages import Page


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    everything.reports()[1].save(folder / "dstg-tiny")
    reports = everything.full_report().reports[2:4]
    FullReport(reports=reports, command="c").save(folder / "dstg-tiny+ap-tiny")
    everything.report("compare", comparisons.result(b=samples.NASTY)).save(folder / "a+b")
    return folder


@pytest.fixture
def folder(made, tmp_path):
    return shutil.copytree(made, tmp_path / "reports")


def test_every_page_is_linked_with_its_finding_and_its_data(folder):
    page = Page(write_index(folder).read_text(encoding="utf-8"))
    links = [a["href"] for tag, a in page.tags if tag == "a"]
    assert "dstg-tiny/heads.html" in links
    assert "dstg-tiny%2Bap-tiny/report.html" in links
    assert "dstg-tiny%2Bap-tiny/heads-ap-tiny.json" in links
    assert "a%2Bb/compare.csv" in links
    shown = " ".join("".join(page.text).split())
    assert everything.reports()[1].headline()[0] in shown
    assert f"between dstg-tiny and {samples.NASTY}" in shown
    assert len(page.ids) == len(set(page.ids))


def test_pages_of_other_makers_are_neither_listed_nor_overwritten(folder):
    (folder / "other").mkdir()
    (folder / "other" / "page.html").write_text("<title>mine</title>")
    assert "mine" not in write_index(folder).read_text(encoding="utf-8")
    (folder / "index.html").write_text("<title>mine</title>")
    assert write_index(folder) is None
    assert (folder / "index.html").read_text() == "<title>mine</title>"


def test_a_page_beside_the_index_is_listed_first(folder):
    everything.reports()[1].save(folder)
    page = Page(write_index(folder).read_text(encoding="utf-8"))
    links = [a["href"] for tag, a in page.tags if tag == "a"]
    assert links[0] == "heads.html"
    assert ACROSS in "".join(page.text)
    assert "index.html" not in links


def test_our_own_index_is_made_anew(folder):
    write_index(folder)
    shutil.copytree(folder / "dstg-tiny", folder / "more")
    assert "more/heads.html" in write_index(folder).read_text(encoding="utf-8")


def test_without_reports_there_is_no_index(tmp_path):
    assert write_index(tmp_path) is None
    assert list(tmp_path.iterdir()) == []
