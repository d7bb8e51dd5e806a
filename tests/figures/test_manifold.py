from dataclasses import replace

import numpy as np
import pytest

from posprobe.figures.manifold import manifold_figures
from posprobe.figures.manifold_names import group_name, named
from posprobe.figures.manifold_selection import component_counts, drawn, spectrum_bins
from posprobe.figures.marks import Line, Scatter
from tests.figures import samples


@pytest.fixture(scope="module")
def result():
    return samples.manifold_result()


@pytest.fixture(scope="module")
def figures(result):
    return {figure.id: figure for figure in manifold_figures(result)}


def test_order(figures):
    names = ("curve", "nulls", "components", "variance", "spectrum")
    assert list(figures) == [f"manifold-{name}" for name in names]


def test_curve_has_the_scores_of_every_position(result, figures):
    for item, panel in zip(result.manifolds, figures["manifold-curve"].panels, strict=True):
        (points,) = panel.marks
        np.testing.assert_array_equal(points.x, item.scores[:, 0])
        np.testing.assert_array_equal(points.y, item.scores[:, 1])
        np.testing.assert_array_equal(points.values, np.arange(item.n_positions))
        assert points.names[-1] == f"position {item.n_positions - 1}"
        assert panel.equal


def test_components_are_the_same_scores(result, figures):
    for item, panel in zip(result.manifolds, figures["manifold-components"].panels, strict=True):
        np.testing.assert_array_equal(np.stack([line.y for line in panel.marks], 1), item.scores)


def test_variance_is_cumulative_and_beside_its_nulls(result, figures):
    (panel,) = figures["manifold-variance"].panels
    lines = [mark for mark in panel.marks if isinstance(mark, Line)]
    for item, line in zip(result.manifolds, lines, strict=True):
        np.testing.assert_allclose(line.y, np.cumsum(item.variance_ratio))
        np.testing.assert_array_equal(line.x, np.arange(1, len(line.y) + 1))
    nulls = [mark for mark in panel.marks if isinstance(mark, Scatter)]
    # Both tables have one shape, so their nulls stand there once.
    assert [(mark.x[0], mark.y[0]) for mark in nulls] == [(2, 0.12), (2, 0.76)]


def test_spectrum_leaves_out_the_constant(result, figures):
    for item, panel in zip(result.manifolds, figures["manifold-spectrum"].panels, strict=True):
        lines = [mark for mark in panel.marks if isinstance(mark, Line)]
        np.testing.assert_array_equal(lines[1].x, np.arange(1, 64))
        np.testing.assert_array_equal(lines[1].y, item.spectrum[1, 1:])


def test_nulls_stand_beside_their_table(result, figures):
    panel = figures["manifold-nulls"].panels[1]
    marks = {mark.label: mark for mark in panel.marks}
    expected = [item.low4_top2 for item in result.manifolds]
    np.testing.assert_array_equal(marks["this table"].x, expected)
    np.testing.assert_allclose(marks["random walk"].x, 0.94)
    np.testing.assert_allclose(marks["random walk"].high, 0.97)


def test_positions_beyond_the_limit_are_thinned_and_that_is_said():
    long = samples.manifold(positions=1500, dimensions=4)
    figure = manifold_figures(samples.manifold_result(long))[0]
    (points,) = figure.panels[0].marks
    np.testing.assert_array_equal(points.x, long.scores[::2, 0])
    assert "every 2nd position" in figure.caption


def test_tables_of_different_lengths_share_a_relative_scale():
    pair = samples.manifold(), samples.manifold("long", positions=128)
    figure = manifold_figures(samples.manifold_result(*pair))[0]
    ends = [panel.marks[0].values[-1] for panel in figure.panels]
    assert ends == [1.0, 1.0]
    assert figure.scales()[0].high == 1


def test_layers_become_lines():
    result = samples.layered_result(layers=3)
    figures = {figure.id: figure for figure in manifold_figures(result)}
    assert "manifold-nulls" not in figures
    lines = {mark.label: mark for mark in figures["manifold-layers"].panels[0].marks}
    line = lines["ap-baseline"]
    np.testing.assert_array_equal(line.y, [item.top2 for item in result.manifolds[3:]])
    np.testing.assert_array_equal(line.x, [0, 1, 2])


def test_many_layers_are_drawn_as_an_even_selection_and_that_is_said():
    result = samples.layered_result(layers=12)
    shown = drawn(result.manifolds)
    assert len(shown) == 16
    assert shown[0] is result.manifolds[0]
    assert shown[-1] is result.manifolds[-1]
    figures = {figure.id: figure for figure in manifold_figures(result)}
    assert "16 of 24" in figures["manifold-curve"].caption
    assert len(figures["manifold-variance"].panels) == 2


def test_selections_keep_the_first_and_stay_inside():
    wide = samples.manifold(positions=600, dimensions=300)
    counts = component_counts((wide,))
    np.testing.assert_array_equal(counts[:64], np.arange(1, 65))
    assert counts[-1] == 300
    assert np.all(np.diff(counts) > 0)
    bins = spectrum_bins((wide,) * 8)
    np.testing.assert_array_equal(bins[:32], np.arange(1, 33))
    assert bins[-1] < 600


def test_undefined_manifolds_are_left_out_and_named():
    result = samples.manifold_result(samples.manifold(), samples.undefined_manifold())
    figure = manifold_figures(result)[0]
    assert len(figure.panels) == 1
    assert "constant is undefined: all rows are equal" in figure.caption


def test_names_have_the_parts_that_differ():
    one = samples.layered_result(layers=2, checkpoints=("dstg-small",)).manifolds
    assert [item.label for item in named(one)] == ["layer 0", "layer 1"]
    assert group_name(named(one)[1]) == "hook_resid_post"
    two = samples.layered_result(layers=2).manifolds
    assert named(two)[3].label == "ap-baseline, layer 1"
    assert group_name(named(two)[3]) == "ap-baseline"
    streams = (*one, *(replace(item, site=f"{item.site}_ap") for item in one))
    assert named(streams)[3].label == "hook_resid_post_ap, layer 1"
    assert group_name(named(streams)[3]) == "hook_resid_post_ap"


def test_names_are_unique_where_labels_are_not():
    twins = samples.manifold(checkpoint="a/x"), samples.manifold(checkpoint="b/x")
    assert [item.label for item in named(twins)] == ["a/x", "b/x"]
    same = samples.manifold(), samples.manifold()
    assert [item.label for item in named(same)] == ["dstg-small", "dstg-small (2)"]


def test_nothing_defined_nothing_drawn():
    assert manifold_figures(samples.manifold_result(samples.undefined_manifold())) == ()


def test_one_dimension_makes_a_flat_curve():
    item = samples.manifold(positions=16)
    thin = replace(
        item,
        n_dimensions=1,
        variance_ratio=np.ones(1),
        scores=item.scores[:, :1],
        spectrum=item.spectrum[:1],
        low4=item.low4[:1],
    )
    (points,) = manifold_figures(samples.manifold_result(thin))[0].panels[0].marks
    np.testing.assert_array_equal(points.y, np.zeros(16))
