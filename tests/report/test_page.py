import base64
import gzip
import io
import json
import re

import pandas as pd
import plotly.graph_objects as go
import pytest
from plotly.offline import get_plotlyjs

from posprobe.report import page
from posprobe.report.heads import heads_section
from posprobe.report.manifold import manifold_section
from posprobe.report.page import render_page
from posprobe.report.report import Report
from tests.figures import decompositions, holmes_scores, probings, samples
from tests.report.pages import Page, number

BUDGET = 6_000_000
MADE = {
    "manifold": samples.manifold_result,
    "heads": samples.undefined_heads,
    "adjacency": lambda: samples.adjacency_result(heads=2),
    "probe": lambda: probings.probes_result(streams=("whole", "ap", "sem"), layers=2),
    "holmes": holmes_scores.holmes_result,
    "decomposition": decompositions.sample,
}


@pytest.fixture(scope="module", params=MADE)
def text(request):
    return _html(request.param, MADE[request.param]())


def _still(result, **changes):
    source = samples.provenance(**changes)
    return render_page(manifold_section(result), source, interactive=False)


def _html(measure, result, **changes):
    return Report(measure=measure, result=result, provenance=samples.provenance(**changes)).html()


def _without_plotly(text):
    return re.sub(r'<script type="text/plain".*?</script>', "", text)


def _unpacked(text, name):
    (found,) = (body for a, body in Page(text).scripts if a.get("id") == name)
    return gzip.decompress(base64.b64decode(found)).decode()


def test_plotly_is_there_once(text):
    assert _unpacked(text, "plotly") == get_plotlyjs()
    assert text.count("plotly.js v") == 1  # its name and licence
    assert len([s for s, _ in Page(text).scripts if "src" in s]) == 0


@pytest.mark.parametrize("measure", MADE)
def test_the_page_carries_its_numbers(measure):
    report = Report(measure=measure, result=MADE[measure](), provenance=samples.provenance())
    text = report.html()
    carried = json.loads(_unpacked(text, "data"))
    assert carried["name"] == f"{measure}.json"
    assert carried["json"] == report.json() + "\n"
    page = Page(text)
    assert set(carried["tables"]) == {a["id"] for tag, a in page.tags if tag == "table"}
    for table, sheet in zip(page.tables, carried["tables"].values(), strict=True):
        frame = pd.read_csv(io.StringIO(sheet))
        assert list(frame.columns) == table["rows"][0]
        assert len(frame) == len(table["rows"]) - 1


def test_tables_of_the_page_are_carried_unrounded():
    item = samples.manifold()
    text = _html("manifold", samples.manifold_result(item))
    sheet = json.loads(_unpacked(text, "data"))["tables"]["manifold-variance-table-1"]
    values = pd.read_csv(io.StringIO(sheet))["dstg-small"]
    assert values[0] == item.variance_ratio[0]


def test_numbers_that_are_too_many_for_a_page_are_left_to_the_files(monkeypatch):
    whole = _html("heads", samples.heads_result())
    monkeypatch.setattr(page, "BUDGET", len(whole.encode()) - 1)
    text = _html("heads", samples.heads_result())
    carried = json.loads(_unpacked(text, "data"))
    assert set(carried) == {"name", "tables"}
    assert len(carried["tables"]) == text.count("<table")
    assert "data-json" in whole
    assert "data-json hidden" not in text
    assert "they are in the data files" in text
    monkeypatch.setattr(page, "BUDGET", 1000)
    assert 'id="data"' not in _html("heads", samples.heads_result())


def test_nothing_is_loaded_from_elsewhere(text):
    own = _without_plotly(text)
    assert "http:" not in own
    assert "https:" not in own
    assert not re.search(r"url\((?!#)|@import|<link|<base|<iframe", own)
    for tag, attributes in Page(own).tags:
        for name in ("src", "href", "xlink:href", "srcset", "data", "action", "poster"):
            value = attributes.get(name) or "#"
            assert value.startswith(("#", "data:image/png;base64,")) or re.fullmatch(
                r"\w+\.(csv|json)", value
            ), (tag, value)


def test_the_browser_is_told_to_load_nothing(text):
    policy = next(a["content"] for _, a in Page(text).tags if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'")


def test_ids_are_unique_and_anchors_lead_somewhere(text):
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    anchors = [a["href"][1:] for _, a in page.tags if (a.get("href") or "").startswith("#")]
    assert set(anchors) <= set(page.ids)
    assert {"headline", "what", "reading", "limits", "source", "provenance"} <= set(page.ids)


def test_figures_have_captions_text_and_a_drawing(text):
    page = Page(text)
    figures = text.count("<figure>")
    assert figures >= 4
    assert text.count("<figcaption>") == figures
    assert text.count('<div class="static"><svg') == figures
    named = [a["aria-labelledby"] for tag, a in page.tags if tag == "svg" and a.get("role")]
    assert set(named) <= set(page.ids)


def test_what_plotly_is_given_is_valid(text):
    found = [body for a, body in Page(text).scripts if a.get("type") == "application/json"]
    specs = [json.loads(body) for body in found]
    assert len(specs) == text.count("<figure>")
    for spec in specs:
        for layout in (spec["wide"], spec["narrow"]):
            go.Figure({"data": spec["data"], "layout": layout})


def test_every_colour_the_page_uses_is_defined(text):
    own = _without_plotly(text)
    defined = set(re.findall(r"^--([\w-]+):", own, flags=re.MULTILINE))
    assert set(re.findall(r"var\(--([\w-]+)\)", own)) <= defined


@pytest.mark.parametrize(
    ("measure", "result"),
    [
        ("manifold", lambda: samples.layered_result(layers=6, positions=1024, dimensions=32)),
        ("heads", lambda: samples.heads_result(layers=24, heads=16, reach=1023)),
        ("adjacency", lambda: samples.adjacency_result(layers=24, length=1024, heads=16)),
        ("decomposition", lambda: decompositions.sample(layers=24, heads=16)),
    ],
)
def test_large_results_stay_small_pages(measure, result):
    assert len(_html(measure, result()).encode()) < BUDGET


def test_names_cannot_become_markup():
    item = samples.manifold(samples.NASTY)
    text = _html(
        "manifold",
        samples.manifold_result(item),
        name=samples.NASTY,
        command=f"posprobe manifold {samples.NASTY}",
        options={samples.NASTY: samples.NASTY},
    )
    page = Page(text)
    assert not any(body.startswith("alert") for _, body in page.scripts)
    assert len(page.scripts) == 4 + text.count("<figure>")
    shown = "".join(page.text)
    assert shown.count(samples.NASTY) > 10
    assert "<script>alert" not in text


def test_tables_on_the_page_are_those_of_the_result():
    result = samples.manifold_result()
    page = Page(_still(result))
    rows = page.table("Each number beside")
    assert number(rows[0]["value"]) == pytest.approx(result.manifolds[0].top2, abs=5e-4)
    assert number(rows[4]["random walk"]) == pytest.approx(0.94)
    scores = page.table("ap-baseline: scores")
    assert len(scores) == 64
    for row, meant in zip(scores, result.manifolds[1].scores, strict=True):
        assert number(row["PC2"]) == pytest.approx(meant[1], abs=5e-4)


def test_undefined_numbers_are_words():
    section = heads_section(samples.undefined_heads())
    page = Page(render_page(section, samples.provenance(), interactive=False))
    row = page.table("Shares of each head")[1]
    assert (row["class"], row["ap share"]) == ("undefined", "undefined")
    assert "nan" not in [cell for table in page.tables for row in table["rows"] for cell in row]


def test_provenance_is_complete():
    result = samples.manifold_result(samples.undefined_manifold())
    source = samples.provenance("dstg-small", "ap-baseline")
    text = render_page(manifold_section(result), source, interactive=False)
    shown = " ".join("".join(Page(text).text).split())
    for words in (
        *("posprobe measure 'dstg-small' --seed 0", "3f" * 32, "a1" * 32, "31,872 tokens"),
        *("generated structured corpus", "seed 0", "float32 on cpu", "numpy 2.4.6", "draws 20"),
        *("steps 4000", "3 documents truncated", "ap-baseline"),
    ):
        assert words in shown


def test_without_tokens_the_page_says_so():
    result = samples.manifold_result(samples.undefined_manifold())
    assert "only weights were read" in _still(result, tokens=())


def test_a_page_without_plotly_has_no_script():
    text = _still(samples.manifold_result(samples.manifold()))
    assert Page(text).scripts == []
    assert len(text) < 500_000
    assert "<svg" in text
