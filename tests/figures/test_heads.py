from dataclasses import replace

import numpy as np
import pytest

from posprobe.figures.heads import heads_figures
from posprobe.figures.heads_bias import bias_offsets
from posprobe.figures.marks import Bars, Heatmap, Line, Rule, Scatter
from tests.figures import samples


@pytest.fixture(scope="module")
def result():
    return samples.heads_result()


@pytest.fixture(scope="module")
def figures(result):
    return {figure.id: figure for figure in heads_figures(result)}


def test_order(figures):
    names = ("map", "histogram", "effect", "bias", "locality")
    assert list(figures) == [f"heads-{name}" for name in names]


def test_map_shows_class_letters_and_every_share(result, figures):
    classes, *shares = figures["heads-map"].panels
    (cells,) = classes.marks
    assert cells.names == result.classes
    letters = {"structure": "St", "semantic": "Se", "relative": "Re", "mixed": "Mi"}
    assert cells.text == tuple(tuple(letters[name] for name in row) for row in result.classes)
    for index, panel in enumerate(shares):
        np.testing.assert_array_equal(panel.marks[0].values, result.share[:, :, index])
    assert shares[0].y.reversed


def test_class_colours_say_the_class(result, figures):
    (cells,) = figures["heads-map"].panels[0].marks
    for row, names in zip(cells.values, result.classes, strict=True):
        assert [cells.scale.role(value) for value in row] == list(names)


def test_histogram_has_the_counts_the_cut_and_the_random_init(result, figures):
    marks = figures["heads-histogram"].panels[0].marks
    bars = next(mark for mark in marks if isinstance(mark, Bars))
    np.testing.assert_array_equal(bars.heights, result.hist_counts)
    np.testing.assert_array_equal(bars.edges, result.hist_edges)
    outline = next(mark for mark in marks if isinstance(mark, Line))
    np.testing.assert_array_equal(outline.y[1:-1:2], result.init.hist_counts)
    rules = [mark.value for mark in marks if isinstance(mark, Rule)]
    assert sorted(rules) == [result.cut, result.threshold]


def test_effect_has_a_point_per_head_and_the_mean_of_each_layer(result, figures):
    marks = figures["heads-effect"].panels[0].marks
    points = [mark for mark in marks if isinstance(mark, Scatter)]
    lines = [mark for mark in marks if isinstance(mark, Line)]
    for index in range(3):
        divergence = result.divergence[:, :, index]
        np.testing.assert_array_equal(points[index].y, divergence.reshape(-1))
        np.testing.assert_allclose(lines[index].y, divergence.mean(axis=1))
    assert points[0].names[5] == "layer 1, head 1"


def test_bias_has_a_line_per_head(result, figures):
    for layer, panel in enumerate(figures["heads-bias"].panels):
        curves = np.stack([line.y for line in panel.marks])
        np.testing.assert_array_equal(curves, result.bias_curve[layer])
        assert [line.label for line in panel.marks] == list(result.classes[layer])


def test_one_bias_for_all_layers_is_drawn_once(result):
    shared = replace(result, bias_curve=np.repeat(result.bias_curve[:1], 3, axis=0))
    figure = next(figure for figure in heads_figures(shared) if figure.id == "heads-bias")
    assert [panel.title for panel in figure.panels] == ["every layer"]
    assert "share one bias" in figure.caption


def test_far_offsets_are_thinned_and_that_is_said():
    long = samples.heads_result(reach=500)
    chosen = long.offsets[bias_offsets(long)]
    assert set(range(-32, 33)) <= set(chosen.tolist())
    assert {-500, 500} <= set(chosen.tolist())
    assert len(chosen) < 120
    figure = next(figure for figure in heads_figures(long) if figure.id == "heads-bias")
    assert "sparsely" in figure.caption


def test_locality_sets_each_head_with_and_without(result, figures):
    marks = [
        mark for mark in figures["heads-locality"].panels[0].marks if mark.label != "no effect"
    ]
    pairs = {(x, y) for mark in marks for x, y in zip(mark.x, mark.y, strict=True)}
    expected = zip(result.distance_without_rp.flat, result.distance.flat, strict=True)
    assert pairs == set(expected)


def test_models_without_a_term_lack_its_figures():
    baseline = samples.heads_result(terms=("sem", "rp"))
    assert [f.id for f in heads_figures(baseline)] == [
        *("heads-map", "heads-effect", "heads-bias", "heads-locality")
    ]
    entangled = samples.heads_result(terms=("ap", "sem"))
    assert "heads-bias" not in [figure.id for figure in heads_figures(entangled)]


def test_undefined_heads_are_marked_not_invented():
    figures = heads_figures(samples.undefined_heads())
    cells = [panel.marks[0] for panel in figures[0].panels]
    assert all(isinstance(cell, Heatmap) for cell in cells)
    assert all(cell.text[0][1] == "–" for cell in cells)
    means = [mark.y for mark in figures[2].panels[0].marks if isinstance(mark, Line)]
    assert np.isfinite(means).all()
