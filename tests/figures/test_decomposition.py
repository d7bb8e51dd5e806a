from dataclasses import replace

import numpy as np
import pytest

from posprobe.figures.decomposition import curve_layers, decomposition_figures
from posprobe.figures.marks import Line, Scatter
from tests.figures.decompositions import sample


def figures(result):
    return {figure.id: figure for figure in decomposition_figures(result)}


def test_order_and_what_is_left_out():
    names = ["states", "heads", "relative", "agreement"]
    assert list(figures(sample())) == [f"decomposition-{name}" for name in names]
    assert list(figures(sample(terms=False))) == [f"decomposition-{n}" for n in names[:3]]
    assert list(figures(sample(logits=False))) == ["decomposition-states"]


def test_states_have_a_panel_per_stream_and_a_line_per_part():
    result = sample()
    panels = figures(result)["decomposition-states"].panels
    assert [panel.title for panel in panels] == [
        "whole state",
        "absolute-position stream",
        "semantic stream",
    ]
    ap = [parts for parts in result.states if parts.stream == "ap"]
    for index, name in enumerate(("position", "content", "rest")):
        line = panels[1].marks[index]
        assert line.label == name
        np.testing.assert_array_equal(line.x, [-1, 0, 1, 2])
        np.testing.assert_array_equal(line.y, [parts.share[index] for parts in ap])
        np.testing.assert_allclose(line.high - line.y, [2 * parts.share_se[index] for parts in ap])
    random = [parts.share[0] for parts in result.init.states if parts.stream == "ap"]
    np.testing.assert_array_equal(panels[1].marks[3].y, random)


def test_the_map_has_every_share():
    result = sample()
    classes, *shares = figures(result)["decomposition-heads"].panels
    assert classes.marks[0].names == result.logits.classes
    for index, panel in enumerate(shares):
        np.testing.assert_array_equal(panel.marks[0].values, result.logits.share[:, :, index])


def test_curves_of_a_deep_model_are_those_of_the_most_relative_layers():
    logits = sample(layers=20).logits
    share = logits.share.copy()
    share[7] = share[7] * 0 + [0.0, 0.0, 1.0]
    share[3] = share[3] * 0 + [0.5, 0.5, 0.0]
    drawn = curve_layers(replace(logits, share=share))
    assert len(drawn) == 12
    assert 7 in drawn
    assert 3 not in drawn
    assert list(drawn) == sorted(drawn)
    figure = figures(sample(layers=20))["decomposition-relative"]
    assert "8 layers with a smaller relative part are left out" in figure.caption


def test_agreement_has_a_point_per_head_and_the_mean_of_each_layer():
    result = sample()
    marks = figures(result)["decomposition-agreement"].panels[0].marks
    points = [mark for mark in marks if isinstance(mark, Scatter)]
    lines = [mark for mark in marks if isinstance(mark, Line)]
    for index in range(4):
        values = result.logits.agreement[:, :, index]
        np.testing.assert_array_equal(points[index].y, values.reshape(-1))
        np.testing.assert_allclose(lines[index].y, values.mean(axis=1))


@pytest.mark.parametrize("field", ["share", "agreement"])
def test_undefined_heads_are_drawn_as_gaps(field):
    result = sample()
    values = getattr(result.logits, field).copy()
    values[0, 1] = np.nan
    found = figures(replace(result, logits=replace(result.logits, **{field: values})))
    assert "nan" not in found["decomposition-heads"].alt + found["decomposition-agreement"].alt
