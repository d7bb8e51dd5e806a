import numpy as np
import pytest

from posprobe.figures.holmes import holmes_figures
from posprobe.figures.holmes_points import RANDOM, SHUFFLED
from tests.figures import holmes_scores


def _points(panel, label):
    return [mark for mark in panel.marks if mark.label == label and mark.x.size]


@pytest.fixture(scope="module")
def result():
    return holmes_scores.holmes_result()


@pytest.fixture(scope="module")
def figures(result):
    return {figure.id: figure for figure in holmes_figures(result)}


def test_order(figures):
    assert list(figures) == [f"holmes-{f}" for f in ("fields", "morphology", "syntax", "discourse")]


def test_the_caption_explains_only_the_marks_that_are_there(figures):
    assert "Hollow" in figures["holmes-fields"].caption
    plain = holmes_figures(holmes_scores.holmes_result(init=False))[0]
    assert "Hollow" not in plain.caption
    assert "Crosses" in plain.caption


def test_fields_are_rows_with_points_of_each_checkpoint(result, figures):
    (panel,) = figures["holmes-fields"].panels
    assert panel.y.tick_labels == ("morphology", "syntax", "discourse", "all")
    assert panel.y.reversed
    (points,) = _points(panel, "rope-small")
    scores = {
        item.field: item
        for item in result.fields
        if (item.checkpoint, item.condition) == ("rope-small", "checkpoint")
    }
    np.testing.assert_array_equal(points.x, [scores[name].score for name in points.names])
    spread = [np.std(scores[name].by_seed, ddof=1) for name in points.names]
    np.testing.assert_allclose(points.x - points.low, spread)
    np.testing.assert_allclose(points.high - points.x, spread)
    np.testing.assert_array_equal(np.round(points.y), range(4))


def test_controls_stand_in_the_same_row(result, figures):
    (panel,) = figures["holmes-syntax"].panels
    (own,) = _points(panel, "dstg-small")
    random, other = _points(panel, RANDOM)
    assert not random.filled
    np.testing.assert_array_equal(random.y, own.y)
    assert random.role == own.role != other.role
    wanted = {
        item.phenomenon: item.score
        for item in result.phenomena
        if (item.checkpoint, item.condition) == ("dstg-small", "random init")
    }
    names = [name.removeprefix("dstg-small (random init), ") for name in random.names]
    np.testing.assert_array_equal(random.x, [wanted[name] for name in names])
    shuffled, _ = _points(panel, SHUFFLED)
    np.testing.assert_array_equal(shuffled.x, [0.4] * 3)
    np.testing.assert_array_equal(shuffled.y, own.y)


def test_the_key_shows_controls_of_no_checkpoint(figures):
    keys = {key.label: key.role for key in figures["holmes-fields"].legend()}
    assert list(keys) == ["dstg-small", "rope-small", RANDOM, SHUFFLED]
    assert keys[RANDOM] == keys[SHUFFLED] == "muted"


def test_phenomena_are_in_order_of_their_means(result, figures):
    (panel,) = figures["holmes-morphology"].panels
    means = [
        np.mean([item.score for item in result.phenomena if item.phenomenon == name])
        for name in panel.y.tick_labels
    ]
    assert means == sorted(means, reverse=True)


def test_places_are_panels():
    places = ("last layer", "hook_embed")
    result = holmes_scores.holmes_result(places=places)
    for figure in holmes_figures(result):
        assert tuple(panel.title for panel in figure.panels) == places
        assert figure.panels[0].y == figure.panels[1].y
    first = holmes_figures(result)[1].panels[1].marks[0]
    wanted = {
        item.phenomenon: item.score
        for item in result.phenomena
        if (item.checkpoint, item.condition, item.place) == (first.label, "checkpoint", places[1])
    }
    np.testing.assert_array_equal(first.x, [wanted[name] for name in first.names])


def test_undefined_phenomena_are_not_drawn(result):
    lost = holmes_scores.undefined_dataset(field="reasoning", phenomenon="negation", dataset="n")
    more = holmes_scores.holmes_result(more=(lost,))
    assert [f.id for f in holmes_figures(more)] == [f.id for f in holmes_figures(result)]
    none = holmes_scores.holmes_result(checkpoints=(), more=(lost,))
    assert holmes_figures(none) == ()


def test_an_architecture_without_a_checkpoint_is_drawn_as_what_it_is():
    bare = holmes_scores.dataset_score(0.4, checkpoint="bare", condition="random init")
    result = holmes_scores.holmes_result(checkpoints=("bare-not",), init=False, more=(bare,))
    figure = holmes_figures(result)[0]
    (points,) = _points(figure.panels[0], "bare (random init)")
    assert points.filled
