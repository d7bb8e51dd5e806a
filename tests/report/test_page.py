import json
import re

import plotly.graph_objects as go
import pytest

from posprobe.report.heads import heads_section
from posprobe.report.manifold import manifold_section
from posprobe.report.page import render_page
from posprobe.report.report import Report
from tests.figures import samples
from tests.report.pages import Page, number

BUDGET = 6_000_000
MADE = {
    "manifold": samples.manifold_result,
    "heads": samples.undefined_heads,
    "adjacency": lambda: samples.adjacency_result(heads=2),
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
    start = text.index("plotly.js v")
    return text[:start] + text[text.index("</script>", start) :]


def test_plotly_is_there_once(text):
    assert text.count("plotly.js v") == 1
    assert len([s for s, _ in Page(text).scripts if "src" in s]) == 0


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
    specs = [json.loads(body) for a, body in Page(text).scripts if a.get("type")]
    assert len(specs) == text.count("<figure>")
    for spec in specs:
        for layout in (spec["wide"], spec["narrow"]):
            go.Figure({"data": spec["data"], "layout": layout})


def test_every_colour_the_page_uses_is_defined(text):
    own = _without_plotly(text)
    defined = set(re.findall(r"^--([\w-]+):", own, flags=re.MULTILINE))
    assert set(re.findall(r"var\(--([\w-]+)\)", own)) <= defined


def test_size():
    wide = samples.layered_result(layers=6, positions=512, dimensions=96)
    assert len(_html("manifold", wide).encode()) < BUDGET


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
    assert len(page.scripts) == 3 + text.count("<figure>")
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
