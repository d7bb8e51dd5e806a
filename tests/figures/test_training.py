import numpy as np
import pytest

from posprobe.figures.training import training_figure
from posprobe.figures.training_curve import read_curve
from tests.figures import trainings


@pytest.fixture
def records():
    return trainings.trained(), trainings.trained("ap-tiny", shift=0.3)


@pytest.fixture
def figure(records):
    names = ("dstg-tiny", "ap-tiny")
    return training_figure(tuple(map(read_curve, names, records)))


def test_training_loss_is_thin_and_held_out_loss_has_markers(figure, records):
    held_out, thin = figure.panels[0].marks[2:]
    np.testing.assert_array_equal(np.column_stack([thin.x, thin.y]), records[1]["curve"])
    assert (thin.thin, thin.shape, thin.name) == (True, None, "ap-tiny, training")
    tests = records[1]["evaluations"]
    np.testing.assert_array_equal(held_out.x, [step for step, _ in tests])
    np.testing.assert_array_equal(held_out.y, [found["loss"] for _, found in tests])
    assert (held_out.thin, held_out.shape) == (False, "circle")


def test_a_checkpoint_has_one_entry_in_the_key(figure):
    assert [(key.label, key.role, key.shape) for key in figure.legend()] == [
        ("dstg-tiny", "c1", "circle"),
        ("ap-tiny", "c2", "circle"),
    ]


def test_other_numbers_have_a_panel_each(figure, records):
    panel = figure.panels[1]
    assert panel.title == "held-out accuracy"
    assert (panel.y.low, panel.y.high) == (0, 1.02)
    found = [test["accuracy"] for _, test in records[0]["evaluations"]]
    np.testing.assert_array_equal(panel.marks[0].y, found)


def test_tasks_have_exact_match_and_no_held_out_loss():
    curve = read_curve("reversal", trainings.trained(test=("exact_match",)))
    figure = training_figure((curve,))
    assert [panel.title for panel in figure.panels] == ["loss", "held-out exact match"]
    assert [mark.name for mark in figure.panels[0].marks] == ["reversal, training"]
    assert "With markers" not in figure.caption


def test_a_training_without_evaluations_is_its_curve():
    figure = training_figure((read_curve("short", trainings.trained(until=400)),))
    assert len(figure.panels[0].marks) == 2
    bare = read_curve("bare", trainings.trained() | {"evaluations": []})
    assert len(training_figure((bare,)).panels) == 1


@pytest.mark.parametrize("curve", [None, [], "x", [[1]], [["a", 2.0]], [[1, None]], {"a": 1}])
def test_records_without_a_curve_have_none(curve):
    assert read_curve("odd", {"curve": curve}) is None
    assert read_curve("odd", {}) is None


def test_odd_entries_are_passed_over():
    curve = read_curve(
        "odd",
        {
            "curve": [[10, 3.0], [20, None], 7, [30, 2.0]],
            "evaluations": [[10, {"loss": 3.1, "note": "x"}], [20, None], [30, {"accuracy": 0.5}]],
        },
    )
    np.testing.assert_array_equal(curve.steps, [10, 30])
    np.testing.assert_array_equal(curve.held_out_steps, [10, 30])
    np.testing.assert_array_equal(curve.held_out["loss"], [3.1, np.nan])
    np.testing.assert_array_equal(curve.held_out["accuracy"], [np.nan, 0.5])
    assert "note" not in curve.held_out
