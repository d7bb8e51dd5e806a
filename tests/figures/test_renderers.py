"""Both renderers draw every figure of every measure."""

import re
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
from PIL import Image

from posprobe.core.errors import UserError
from posprobe.figures import matplotlib_renderer
from posprobe.figures.adjacency import adjacency_figures
from posprobe.figures.grid import grid
from posprobe.figures.heads import heads_figures
from posprobe.figures.holmes import holmes_figures
from posprobe.figures.manifold import manifold_figures
from posprobe.figures.matplotlib_renderer import draw as draw_still
from posprobe.figures.matplotlib_renderer import save, svg
from posprobe.figures.plotly_renderer import draw, plotly_spec
from posprobe.figures.probes import probes_figures
from posprobe.figures.theme import CSS, DARK, LIGHT
from posprobe.figures.training import training_figure
from posprobe.figures.training_curve import read_curve
from tests.figures import holmes_scores, probings, samples, trainings


def _tiny():
    item = samples.manifold(positions=4, dimensions=3)
    thin = replace(
        item,
        n_dimensions=1,
        variance_ratio=np.ones(1),
        scores=item.scores[:, :1],
        spectrum=item.spectrum[:1],
        low4=item.low4[:1],
    )
    return manifold_figures(samples.manifold_result(thin))


RESULTS = {
    "tiny": _tiny,
    "table": lambda: manifold_figures(samples.manifold_result()),
    "odd": lambda: manifold_figures(samples.manifold_result(samples.manifold(samples.NASTY))),
    "forming": lambda: manifold_figures(trainings.forming_result(steps=(240, 8000)))[1:4],
    "training": lambda: (training_figure((read_curve("dstg-tiny", trainings.trained()),)),),
    "states": lambda: manifold_figures(samples.layered_result(layers=2)),
    "heads": lambda: heads_figures(samples.undefined_heads()),
    "adjacency": lambda: adjacency_figures(samples.adjacency_result(layers=2, heads=2)),
    "probe": lambda: probes_figures(
        probings.probes_result(targets=("token",), features=("state", "cosine"))
    ),
    "holmes": lambda: holmes_figures(holmes_scores.holmes_result()),
}


@pytest.fixture(scope="module", params=RESULTS)
def figures(request):
    return RESULTS[request.param]()


@pytest.fixture(scope="module")
def drawings(figures):
    return [svg(figure) for figure in figures]


@pytest.fixture(scope="module")
def curve():
    return manifold_figures(samples.manifold_result(samples.manifold()))[0]


def test_plotly_accepts_every_figure(figures):
    for figure in figures:
        drawn = draw(figure, theme=DARK)
        axes = {trace.xaxis for trace in drawn.data if trace.xaxis}
        assert len(axes) == len(figure.panels)
        # The page fills the colours in.
        go.Figure(plotly_spec(figure, theme=CSS, width=380, columns=figure.narrow))


def test_plotly_numbers_are_those_of_the_description(figures):
    for figure in figures:
        spec = plotly_spec(figure, theme=LIGHT, width=900)
        traces = [trace for trace in spec["data"] if trace.get("mode") != "text"]
        marks = [mark for mark in figure.marks() if not hasattr(mark, "axis")]
        traces = [trace for trace in traces if trace.get("name") != "no effect"]
        assert len(traces) == len(marks)
        for trace, mark in zip(traces, marks, strict=True):
            shown = np.array(trace.get("z", trace.get("y")), dtype=float)
            meant = next(
                getattr(mark, name) for name in ("values", "heights", "y") if _has(mark, name)
            )
            if trace["type"] == "scatter":
                meant = mark.y
            np.testing.assert_allclose(shown, meant, rtol=1e-4, atol=1e-12)


def _has(mark, name):
    return getattr(mark, name, None) is not None


def test_matplotlib_draws_every_figure(figures, drawings):
    for figure, text in zip(figures, drawings, strict=True):
        assert text.count("<path") + text.count("<image") + text.count("<use") > len(figure.panels)


def test_matplotlib_writes_pictures(figures, tmp_path):
    path = save(figures[0], tmp_path / "figure.png", dpi=50)
    with Image.open(path) as image:
        assert len(image.convert("L").getcolors(1 << 16)) > 3


def test_drawings_for_pages_follow_the_page_and_refer_to_nothing(drawings):
    for text in drawings:
        assert text.startswith("<svg")
        assert "http" not in text
        assert "var(--" in text
        # Colours of the page are variables; only text on pictures is fixed.
        found = set(re.findall(r"#[0-9a-f]{6}\b", text))
        assert not found & set(LIGHT.colours.values())


def test_ids_of_drawings_are_unique(drawings):
    ids = [name for text in drawings for name in re.findall(r' id="([^"]*)"', text)]
    assert len(ids) == len(set(ids))


def test_drawings_are_the_same_bytes_every_time(curve, tmp_path):
    assert svg(curve) == svg(curve)
    for suffix in ("png", "svg", "pdf"):
        first = save(curve, tmp_path / f"a.{suffix}").read_bytes()
        assert first == save(curve, tmp_path / f"b.{suffix}").read_bytes()


def test_names_are_not_markup(curve):
    (odd,) = manifold_figures(samples.manifold_result(samples.manifold(samples.NASTY)))[:1]
    assert "<script" not in svg(odd)
    spec = plotly_spec(odd, theme=LIGHT, width=900)
    assert "<script" not in str(spec["layout"])
    assert "<script" not in str([{**trace, "legendgroup": ""} for trace in spec["data"]])


def test_an_unknown_suffix_is_an_error_that_names_the_known(curve, tmp_path):
    with pytest.raises(UserError, match=r"gif.*\.png, \.svg, \.pdf"):
        save(curve, tmp_path / "a.gif")


def test_a_failed_drawing_leaves_no_file(curve, tmp_path, monkeypatch):
    monkeypatch.setattr(matplotlib_renderer, "FORMATS", ("png", "svg", "pdf", "xyz"))
    with pytest.raises(KeyError):
        save(curve, tmp_path / "a.xyz")
    assert list(tmp_path.iterdir()) == []


def test_both_renderers_turn_a_reversed_axis_round():
    figure = manifold_figures(trainings.forming_result(steps=(240, 8000)))[2]
    assert figure.id == "manifold-loss"
    assert all(ax.xaxis_inverted() for ax in draw_still(figure, keys=False).axes)
    layout = plotly_spec(figure, theme=LIGHT, width=900)["layout"]
    assert layout["xaxis3"]["autorange"] == "reversed"


def test_both_renderers_draw_thin_lines_thinner():
    figure = training_figure((read_curve("dstg-tiny", trainings.trained()),))
    still = draw_still(figure, keys=False).axes[0].lines
    drawn = plotly_spec(figure, theme=LIGHT, width=900)["data"]
    assert still[1].get_linewidth() < still[0].get_linewidth()
    assert drawn[1]["line"]["width"] < drawn[0]["line"]["width"]


@pytest.mark.parametrize("columns", [1, 2, 4])
def test_panels_do_not_overlap_and_fit(columns):
    figure = manifold_figures(samples.layered_result(layers=3))[0]
    cells, height = grid(figure, columns=columns, width=900)
    assert len(cells) == 6
    for cell in cells:
        assert 0 <= cell.left < cell.right <= 900
        assert 0 <= cell.top < cell.bottom <= height
    for index, one in enumerate(cells):
        for other in cells[index + 1 :]:
            beside = one.right < other.left or other.right < one.left
            assert beside or one.bottom < other.top or other.bottom < one.top
