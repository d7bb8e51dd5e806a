"""The pages in a browser with the network off."""

import json
import os
import re
from pathlib import Path

import pytest

from tests.report import everything
from tests.report.browser import BROWSER, Browser
from tests.report.pages import Page

PAGES = ("manifold", "heads", "adjacency", "compare", "report", "index")
WITH_FIGURES = PAGES[:-1]
AXE = os.environ.get("POSPROBE_AXE", "")
DRAW = """(async () => {
  document.querySelectorAll("details").forEach((part) => { part.open = true; });
  const drawn = (plot) => plot.querySelector(".main-svg") || plot.closest(".failed");
  for (const plot of document.querySelectorAll(".plot")) {
    plot.scrollIntoView();
    for (let tries = 0; tries < 500 && !drawn(plot); tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  return {
    width: document.documentElement.scrollWidth,
    figures: document.querySelectorAll("figure").length,
    drawn: document.querySelectorAll(".plot .main-svg:first-child").length,
    failed: document.querySelectorAll(".failed").length,
    paper: getComputedStyle(document.body).backgroundColor,
    lines: Array.from(document.querySelectorAll(".plot path.js-line"), (line) => line.style.stroke),
  };
})()"""
SHOWN = """(() => {
  document.querySelectorAll("details").forEach((part) => { part.open = true; });
  const seen = (part) => part.checkVisibility() && part.getBoundingClientRect().height > 0;
  return {
    text: document.body.innerText,
    drawings: Array.from(document.querySelectorAll(".static svg")).filter(seen).length,
    buttons: Array.from(document.querySelectorAll("button:enabled")).filter(seen).length,
  };
})()"""

pytestmark = [pytest.mark.slow, pytest.mark.skipif(BROWSER is None, reason="needs chromium")]


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    return everything.pages(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="module")
def browser():
    found = Browser()
    yield found
    found.close()


@pytest.mark.parametrize(("width", "dark"), [(1400, False), (400, True)])
@pytest.mark.parametrize("name", PAGES)
def test_everything_is_drawn_and_nothing_is_asked_for(browser, paths, name, width, dark):
    browser.open(paths[name], width=width, dark=dark)
    found = browser.run(DRAW)
    assert browser.complaints() == []
    assert browser.requests() == [paths[name].as_uri()]
    assert found["width"] <= width
    assert found["drawn"] == found["figures"]
    assert found["failed"] == 0
    assert found["paper"] == ("rgb(20, 24, 28)" if dark else "rgb(255, 255, 255)")


def test_figures_change_colour_with_the_page(browser, paths):
    colours = []
    for dark in (False, True):
        browser.open(paths["adjacency"], dark=dark)
        colours.append(browser.run(DRAW)["lines"])
    assert len(colours[0]) == len(colours[1]) > 0
    assert not set(colours[0]) & set(colours[1])


@pytest.mark.parametrize("name", WITH_FIGURES)
def test_without_scripts_every_number_is_there(browser, paths, name):
    browser.open(paths[name], script=False)
    shown = browser.run(SHOWN)
    page = Page(paths[name].read_text(encoding="utf-8"))
    words = set(shown["text"].split())
    cells = [cell for table in page.tables for row in table["rows"] for cell in row]
    numbers = {cell for cell in cells if re.fullmatch(r"−?[\d,.]+(e.\d+)?", cell)}
    assert len(numbers) > 20
    assert numbers <= words
    assert shown["drawings"] == sum(tag == "figure" for tag, _ in page.tags)
    assert shown["buttons"] == 0


def test_downloads_come_from_inside_the_page(browser, paths, tmp_path):
    browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    browser.open(paths["heads"])
    browser.run('document.querySelector("[data-json]").click()')
    browser.run('document.querySelector("[data-csv=heads-histogram-table-2]").click()')
    found = browser.downloads(tmp_path, 2)
    assert [path.name for path in found] == ["heads-histogram-table-2.csv", "heads.json"]
    assert found[0].read_text().startswith("from,to,heads,random init\n-0.2,")
    assert found[1].read_bytes() == paths["heads"].with_suffix(".json").read_bytes()
    assert browser.requests() == [paths["heads"].as_uri()]


def test_tables_are_sorted_by_their_headers_and_by_the_keyboard(browser, paths):
    browser.open(paths["heads"])
    table = "document.getElementById('heads-map-table-2')"
    column = f"Array.from({table}.tBodies[0].rows, (row) => row.cells[3].textContent)"
    before = browser.run(column)
    browser.run(f"{table}.closest('details').open = true")
    browser.run(f"{table}.querySelectorAll('thead button')[3].focus()")
    seen = []
    for _ in range(3):
        for kind in ("keyDown", "keyUp"):
            key = {"key": " ", "code": "Space", "text": " ", "windowsVirtualKeyCode": 32}
            browser.call("Input.dispatchKeyEvent", type=kind, **key)
        direction = browser.run(f"{table}.querySelectorAll('th')[3].getAttribute('aria-sort')")
        seen.append((direction, browser.run(column)))
    numbers = [float(cell.replace("−", "-")) for cell in before if cell != "undefined"]
    for (direction, cells), expected in zip(
        seen, (sorted(numbers), sorted(numbers, reverse=True)), strict=False
    ):
        assert direction in ("ascending", "descending")
        assert [float(c.replace("−", "-")) for c in cells[:-1]] == expected
        assert cells[-1] == "undefined"
    assert seen[2] == (None, before)


def test_keys_hide_what_they_name(browser, paths):
    browser.open(paths["adjacency"])
    browser.run(DRAW)
    count = "document.querySelectorAll('#adjacency-layers .plot path.js-line').length"
    before = browser.run(count)
    browser.run("document.querySelector('#adjacency-layers [data-key]').click()")
    pressed = "document.querySelector('#adjacency-layers [data-key]').getAttribute('aria-pressed')"
    assert browser.run(pressed) == "false"
    assert browser.run(count) < before


@pytest.mark.parametrize("name", WITH_FIGURES)
def test_paper_gets_drawings_and_folded_tables(browser, paths, name):
    browser.open(paths[name], dark=True)
    browser.call("Emulation.setEmulatedMedia", media="print")
    found = browser.run(
        """(() => {
          const seen = (part) => part.checkVisibility() && part.getBoundingClientRect().height > 0;
          const count = (all) => Array.from(document.querySelectorAll(all)).filter(seen).length;
          return [count(".static svg"), count(".plot"), count(".tables table"),
            document.querySelectorAll(".tables table").length,
            document.querySelectorAll(".endless table").length,
            getComputedStyle(document.body).backgroundColor];
        })()"""
    )
    figures = paths[name].read_text(encoding="utf-8").count("<figure>")
    drawings, plots, shown, tables, endless, paper = found
    assert (drawings, plots) == (figures, 0)
    assert shown == tables - endless
    assert paper == "rgb(255, 255, 255)"


@pytest.mark.skipif(not Path(AXE).is_file(), reason="needs axe-core, named by POSPROBE_AXE")
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_serious_stands_in_the_way(browser, paths, name, dark):
    browser.open(paths[name], dark=dark)
    browser.run(DRAW)
    browser.run(Path(AXE).read_text(encoding="utf-8") + "; undefined")
    found = json.loads(
        browser.run(
            "axe.run(document, {resultTypes: ['violations']}).then((found) => JSON.stringify("
            "found.violations.map((v) => [v.impact, v.id, v.nodes.slice(0, 3).map((n) => "
            "n.html.slice(0, 200) + n.failureSummary)])))"
        )
    )
    assert [item for item in found if item[0] in ("serious", "critical")] == []


@pytest.mark.parametrize("name", PAGES)
def test_html_has_no_errors(paths, name):
    html5lib = pytest.importorskip("html5lib")
    html5lib.HTMLParser(strict=True).parse(paths[name].read_text(encoding="utf-8"))
