"""Several steps of a training, by step, by loss and as curves."""

from dataclasses import replace

import numpy as np
import pytest

from posprobe.figures.manifold import manifold_figures
from posprobe.figures.manifold_names import named
from posprobe.figures.manifold_runs import latest, runs
from posprobe.figures.marks import Line, Rule
from tests.figures import samples, trainings

STEPS = (240, 1200, 8000)


@pytest.fixture(scope="module")
def result():
    return trainings.forming_result(steps=STEPS)


@pytest.fixture(scope="module")
def figures(result):
    return {figure.id: figure for figure in manifold_figures(result)}


def _lines(panel):
    return [mark for mark in panel.marks if isinstance(mark, Line)]


def test_figures_of_the_steps_follow_the_curve(figures):
    names = ("curve", "steps", "loss", "forming", "nulls", "components", "variance", "spectrum")
    assert list(figures) == [f"manifold-{name}" for name in names]


@pytest.mark.parametrize(("figure", "by"), [("steps", "step"), ("loss", "loss")])
def test_each_training_is_a_line_of_its_own_numbers(result, figures, figure, by):
    drawn = figures[f"manifold-{figure}"]
    assert [panel.title for panel in drawn.panels][2] == "participation ratio"
    for panel, name in zip(drawn.panels, ("top2", "low4_all", "participation_ratio"), strict=True):
        assert [line.label for line in _lines(panel)] == ["dstg-tiny", "ap-tiny"]
        for line, own in zip(
            _lines(panel), (result.manifolds[:3], result.manifolds[3:]), strict=True
        ):
            np.testing.assert_array_equal(line.x, [getattr(item, by) for item in own])
            np.testing.assert_array_equal(line.y, [getattr(item, name) for item in own])


def test_learning_goes_to_the_right(figures):
    assert all(panel.x.reversed for panel in figures["manifold-loss"].panels)
    assert not any(panel.x.reversed for panel in figures["manifold-steps"].panels)


def test_the_loss_that_all_reached_is_that_of_the_slowest(result, figures):
    (rule,) = [
        mark
        for mark in figures["manifold-loss"].panels[2].marks
        if isinstance(mark, Rule) and mark.axis == "x"
    ]
    assert rule.value == result.manifolds[5].loss
    alone = trainings.forming_result(names=("dstg-tiny",), steps=STEPS)
    marks = manifold_figures(alone)[2].panels[2].marks
    assert not any(isinstance(mark, Rule) for mark in marks)


def test_nulls_stand_in_the_colour_of_the_only_training_of_their_shape(figures):
    rules = {mark.label: mark for mark in figures["manifold-steps"].panels[1].marks[2:]}
    assert list(rules) == [
        *("random walk, 64 × 24", "gaussian, 64 × 24"),
        *("random walk, 64 × 48", "gaussian, 64 × 48"),
    ]
    assert [rules["random walk, 64 × 48"].value, rules["gaussian, 64 × 48"].value] == [0.88, 0.13]
    assert rules["gaussian, 64 × 48"].role == "c2"


def test_steps_kept_closer_together_at_first_get_a_logarithmic_axis(figures):
    assert figures["manifold-steps"].panels[0].x.log
    even = manifold_figures(trainings.forming_result(steps=(0, 4000, 8000)))[1]
    assert not even.panels[0].x.log


def test_curves_are_mirrored_to_agree_with_the_last(result, figures):
    panels = figures["manifold-forming"].panels
    for item, panel in zip(result.manifolds, panels, strict=True):
        end = result.manifolds[2 if item.label.startswith("dstg") else 5]
        (points,) = panel.marks
        for drawn, component in ((points.x, 0), (points.y, 1)):
            np.testing.assert_array_equal(np.abs(drawn), np.abs(item.scores[:, component]))
            assert drawn @ end.scores[:, component] >= 0
    assert panels[0].title.startswith("dstg-tiny\nstep 240\n")
    assert panels[0].title.endswith(f", loss {result.manifolds[0].loss:.2f}")


def test_many_steps_are_an_even_selection_that_has_first_and_last_and_that_is_said():
    result = trainings.forming_result()
    figure = next(f for f in manifold_figures(result) if f.id == "manifold-forming")
    assert (figure.columns, len(figure.panels)) == (6, 12)
    steps = [panel.title.splitlines()[1] for panel in figure.panels]
    assert steps[0] == steps[6] == "step 240"
    assert steps[5] == steps[11] == "step 8,000"
    assert "6 steps of up to 9" in figure.caption


def test_other_figures_show_the_last_step_and_say_so(figures):
    for name in ("curve", "nulls", "components", "variance", "spectrum"):
        figure = figures[f"manifold-{name}"]
        assert "Of each training the last step is drawn." in figure.caption
        assert "step 240" not in figure.alt
    titles = [panel.title for panel in figures["manifold-components"].panels]
    assert titles == ["dstg-tiny", "ap-tiny"]


def test_the_loss_stands_above_the_curve():
    item = samples.manifold(loss=2.345)
    (panel,) = manifold_figures(samples.manifold_result(item))[0].panels
    assert panel.title == "dstg-small\nheld-out loss 2.35"


def test_without_several_steps_there_are_no_trainings():
    pair = samples.manifold(step=4000, loss=2.0), samples.manifold("ap", step=2000, loss=4.0)
    assert runs(pair) == ()
    assert latest(pair) == pair
    figures = manifold_figures(samples.manifold_result(*pair))
    assert [figure.id for figure in figures][:2] == ["manifold-curve", "manifold-nulls"]
    assert not any("training" in figure.caption for figure in figures)


def test_without_losses_there_is_no_figure_by_loss():
    result = trainings.forming_result(steps=STEPS, loss=None)
    assert "manifold-loss" not in [figure.id for figure in manifold_figures(result)]


def test_a_loss_that_is_not_known_is_passed_over(result):
    first, *rest = result.manifolds
    known = replace(result, manifolds=(replace(first, loss=None), *rest))
    figures = {figure.id: figure for figure in manifold_figures(known)}
    assert len(_lines(figures["manifold-loss"].panels[0])[0].x) == 2
    assert len(_lines(figures["manifold-steps"].panels[0])[0].x) == 3
    assert figures["manifold-forming"].panels[0].title.endswith("\xa0%")


def test_steps_come_in_order_and_the_end_stands_for_a_step_kept_there(result):
    first, middle, end = result.manifolds[:3]
    kept = replace(end, label="dstg-tiny, step 8,000")
    items = named((middle, kept, first, end))
    (run,) = runs(items)
    assert run.name == "dstg-tiny"
    assert [item.step for item in run.steps] == [240, 1200, 8000]
    assert [item.label for item in latest(items)] == ["dstg-tiny"]


def test_undefined_steps_leave_a_gap(result):
    first, *rest = result.manifolds
    gone = samples.undefined_manifold(first.label)
    gone = replace(gone, step=240, loss=6.0, checkpoint=first.checkpoint)
    figures = {
        figure.id: figure for figure in manifold_figures(replace(result, manifolds=(gone, *rest)))
    }
    assert np.isnan(_lines(figures["manifold-steps"].panels[0])[0].y[0])
    assert len(figures["manifold-forming"].panels) == 4


def test_states_at_several_steps_are_trainings_by_stream_and_layer():
    result = samples.manifold_result(
        *(
            replace(item, site=f"blocks.{layer}.hook_resid_post", layer=layer)
            for item in trainings.forming_result(steps=STEPS).manifolds
            for layer in range(4)
        )
    )
    items = named(result.manifolds)
    found = runs(items)
    assert [run.name for run in found][:2] == ["dstg-tiny, layer 0", "dstg-tiny, layer 1"]
    assert len(latest(items)) == 8
    # Eight lines are more than there are colours; the last layers remain.
    figures = {figure.id: figure for figure in manifold_figures(result)}
    labels = [line.label for line in _lines(figures["manifold-steps"].panels[0])]
    assert labels == ["dstg-tiny, layer 3", "ap-tiny, layer 3"]
    assert "the last layer of each stream" in figures["manifold-steps"].caption
    assert len(figures["manifold-layers"].panels) == 3
