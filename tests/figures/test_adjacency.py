from dataclasses import replace

import numpy as np
import pytest

from posprobe.figures.adjacency import adjacency_figures
from posprobe.figures.marks import Line
from posprobe.figures.thinning import block_means
from tests.figures import samples


@pytest.fixture(scope="module")
def result():
    return samples.adjacency_result(heads=2)


@pytest.fixture(scope="module")
def figures(result):
    return {figure.id: figure for figure in adjacency_figures(result)}


def test_order(figures):
    names = ("layers", "heads", "similarity-attn-hook-z", "variance")
    assert list(figures) == [f"adjacency-{name}" for name in names]


def test_one_line_per_condition_and_feature_with_its_interval(result, figures):
    (panel,) = figures["adjacency-layers"].panels
    lines = {mark.label: mark for mark in panel.marks if isinstance(mark, Line)}
    assert len(lines) == 6
    scores = [
        score
        for score in result.scores
        if (score.condition, score.feature, score.head) == ("random init", "norm", None)
    ]
    line = lines["random init, norm"]
    np.testing.assert_array_equal(line.x, [-1, 0, 1, 2])
    np.testing.assert_array_equal(line.y, [score.rows_mean for score in scores])
    np.testing.assert_array_equal(line.low, [score.rows_low for score in scores])
    np.testing.assert_array_equal(line.high, [score.rows_high for score in scores])
    assert line.dash == "dash"


def test_the_average_that_headlines_is_drawn(result):
    figure = adjacency_figures(replace(result, average="triples"))[0]
    line = figure.panels[0].marks[0]
    assert line.y[0] == result.scores[0].triples_mean
    assert "over triples" in figure.caption


def test_layers_out_of_order_are_sorted(result):
    shuffled = replace(result, scores=result.scores[::-1])
    line = adjacency_figures(shuffled)[0].panels[0].marks[0]
    assert np.all(np.diff(line.x) > 0)


def test_heads_map(result, figures):
    panel = figures["adjacency-heads"].panels[0]
    assert panel.title == "checkpoint, attn.hook_z"
    values = panel.marks[0].values
    assert values.shape == (3, 2)
    wanted = next(s for s in result.scores if (s.layer, s.head) == (1, 1))
    assert values[1, 1] == wanted.rows_mean


def test_similarity_is_drawn_as_it_is_with_its_own_scale(result, figures):
    panels = figures["adjacency-similarity-attn-hook-z"].panels
    assert len(panels) == 12
    for item, panel in zip(result.similarity, panels, strict=True):
        (cells,) = panel.marks
        np.testing.assert_array_equal(cells.values, item.matrix)
        apart = item.matrix[~np.eye(22, dtype=bool)]
        assert (cells.scale.low, cells.scale.high) == (apart.min(), apart.max())
    assert panels[0].title.startswith("checkpoint, emb.\n")
    assert panels[-1].title.startswith("non-causal, L2\n")


def test_large_matrices_become_block_means_and_that_is_said():
    long = samples.adjacency_result(length=128)
    figure = next(f for f in adjacency_figures(long) if f.id.startswith("adjacency-similarity"))
    values = figure.panels[0].marks[0].values
    matrix = long.similarity[0].matrix
    assert values.shape == (22, 22)
    np.testing.assert_allclose(values[0, 1], matrix[:3, 3:6].mean())
    np.testing.assert_allclose(values[-1, -1], matrix[63:, 63:].mean())
    assert "mean over 6 × 6 positions" in figure.caption


def test_block_means_keep_the_whole_mean():
    matrix = np.random.default_rng(0).normal(size=(60, 60))
    means, step = block_means(matrix, side=20)
    assert step == 3
    np.testing.assert_allclose(means.mean(), matrix.mean())


def test_variance_has_a_line_per_layer(result, figures):
    panels = figures["adjacency-variance"].panels
    assert len(panels) == 3
    lines = panels[0].marks
    assert [line.name for line in lines] == ["layer embedding", "layer 0", "layer 1", "layer 2"]
    np.testing.assert_array_equal(lines[2].y, result.variance[2].values)


def test_undefined_scores_leave_gaps(result):
    nan = float("nan")
    gone = replace(result.scores[0], rows_mean=nan, rows_low=nan, rows_high=nan, undefined="short")
    figure = adjacency_figures(replace(result, scores=(gone, *result.scores[1:])))[0]
    assert np.isnan(figure.panels[0].marks[0].y[0])


def test_without_matrices_and_variances_there_are_fewer_figures(result):
    bare = replace(result, similarity=(), variance=())
    assert [f.id for f in adjacency_figures(bare)] == ["adjacency-layers", "adjacency-heads"]
