from dataclasses import replace

import numpy as np
import pytest

from posprobe.figures.marks import Line
from posprobe.figures.probes import probes_figures
from posprobe.figures.probes_lines import IDENTITY, RANDOM, SHUFFLED
from posprobe.figures.probes_tracks import tracks
from tests.figures import probings


def _figures(result):
    return {figure.id: figure for figure in probes_figures(result)}


def _lines(panel, label):
    return [mark for mark in panel.marks if mark.label == label and mark.x.size]


def _scores(result, **wanted):
    return [
        score
        for score in result.scores
        if all(getattr(score, name) == value for name, value in wanted.items())
    ]


@pytest.fixture(scope="module")
def result():
    return probings.probes_result()


def test_a_panel_for_each_target_with_a_line_for_each_checkpoint(result):
    (figure,) = probes_figures(result)
    assert figure.id == "probe-layers"
    assert [panel.title for panel in figure.panels] == [
        *("token position", "sentence", "paragraph", "place in the sentence"),
        "distance to the end",
    ]
    (line,) = _lines(figure.panels[1], "ap-small")
    scores = _scores(result, target="sentence", checkpoint="ap-small", condition="checkpoint")
    np.testing.assert_array_equal(line.x, [-1, 0, 1, 2])
    np.testing.assert_array_equal(line.y, [score.headline.value for score in scores])
    np.testing.assert_array_equal(line.low, [score.headline.low for score in scores])
    np.testing.assert_array_equal(line.high, [score.headline.high for score in scores])


def test_controls_stand_beside_the_scores(result):
    panel = probes_figures(result)[0].panels[0]
    random = _lines(panel, RANDOM)
    scores = _scores(result, target="token", checkpoint="rope-small", condition="random init")
    np.testing.assert_array_equal(random[2].y, [score.headline.value for score in scores])
    assert random[2].role == _lines(panel, "rope-small")[0].role
    assert random[2].thin
    shuffled = _lines(panel, SHUFFLED)
    assert len(shuffled) == 3
    scores = _scores(result, target="token", checkpoint="dstg-small", condition="checkpoint")
    np.testing.assert_array_equal(shuffled[0].y, [score.shuffled for score in scores])


def test_equal_identity_lines_are_drawn_once(result):
    panel = probes_figures(result)[0].panels[0]
    (line,) = _lines(panel, IDENTITY)
    np.testing.assert_array_equal(line.y, [0.06] * 4)
    scores = tuple(
        replace(score, identity=0.5) if score.checkpoint == "ap-small" else score
        for score in result.scores
    )
    panel = probes_figures(replace(result, scores=scores))[0].panels[0]
    assert len(_lines(panel, IDENTITY)) == 2


def test_the_key_shows_controls_of_no_checkpoint(result):
    keys = {key.label: key for key in probes_figures(result)[0].legend()}
    assert list(keys) == ["dstg-small", "ap-small", "rope-small", RANDOM, IDENTITY, SHUFFLED]
    assert {keys[name].role for name in (RANDOM, IDENTITY, SHUFFLED)} == {"muted"}


def test_streams_share_a_panel_while_there_are_few():
    result = probings.probes_result(checkpoints=("dstg-small",), streams=("whole", "ap", "sem"))
    (figure,) = probes_figures(result)
    for stream in ("whole", "ap", "sem"):
        (line,) = _lines(figure.panels[0], stream)
        scores = _scores(result, target="token", stream=stream, condition="checkpoint")
        np.testing.assert_array_equal(line.y, [score.headline.value for score in scores])


def test_checkpoints_without_streams_are_known_by_their_names():
    both = probings.probes_result(checkpoints=("dstg-small",), streams=("whole", "ap"))
    plain = probings.probes_result(checkpoints=("ap-small",))
    (figure,) = probes_figures(replace(both, scores=both.scores + plain.scores))
    labels = [key.label for key in figure.legend()][:3]
    assert labels == ["dstg-small, whole", "dstg-small, ap", "ap-small"]


def test_with_many_lines_each_stream_gets_a_panel_and_each_target_a_figure():
    result = probings.probes_result(streams=("whole", "ap", "sem"), targets=("token", "to-end"))
    figures = _figures(result)
    assert list(figures) == ["probe-token-linear", "probe-to-end-linear"]
    panels = figures["probe-to-end-linear"].panels
    assert [panel.title for panel in panels] == [
        *("whole state", "absolute position (ap)", "semantic (sem)"),
    ]
    (line,) = _lines(panels[1], "ap-small")
    wanted = {"target": "to-end", "stream": "ap", "checkpoint": "ap-small"}
    scores = _scores(result, condition="checkpoint", **wanted)
    np.testing.assert_array_equal(line.y, [score.headline.value for score in scores])
    assert len({panel.y.low for panel in panels}) == 1


def test_layers_out_of_order_are_sorted(result):
    shuffled = replace(result, scores=result.scores[::-1])
    figure = probes_figures(shuffled)[0]
    assert figure.panels[0].title == "token position"
    for mark in figure.marks():
        assert np.all(np.diff(mark.x) > 0)


def test_sites_of_a_layer_are_lines_of_their_own():
    scores = probings.probes_result(checkpoints=("a",), targets=("token",)).scores
    inner = [
        replace(score, site=score.site.replace("hook_resid_post", "attn.hook_z"))
        for score in scores
        if score.layer >= 0
    ]
    result = replace(probings.probes_result(), scores=(*scores, *inner))
    panel = probes_figures(result)[0].panels[0]
    for name in ("hook_resid_post", "attn.hook_z"):
        (line,) = _lines(panel, name)
        # Both start from the token embedding.
        np.testing.assert_array_equal(line.x, [-1, 0, 1, 2])


def test_undefined_scores_leave_gaps_and_undefined_targets_are_not_drawn(result):
    lost = [
        probings.undefined_score(
            target=score.target, checkpoint=score.checkpoint, layer=score.layer, site=score.site
        )
        if score.target == "paragraph" or (score.target == "token" and score.layer == 1)
        else score
        for score in result.scores
        if score.condition == "checkpoint"
    ]
    (figure,) = probes_figures(replace(result, scores=tuple(lost)))
    assert len(figure.panels) == 4
    (line,) = _lines(figure.panels[0], "dstg-small")
    np.testing.assert_array_equal(np.isnan(line.y), [False, False, True, False])
    assert "nan" not in figure.alt


def test_nothing_defined_draws_nothing(result):
    lost = (probings.undefined_score(), probings.undefined_score(condition="random init"))
    assert probes_figures(replace(result, scores=lost)) == ()


def test_far_scores_are_cut_off_and_that_is_said(result):
    far = replace(result, scores=(*result.scores, probings.probe_score(-3.0, layer=3)))
    (figure,) = probes_figures(far)
    assert figure.panels[0].y.low == pytest.approx(-0.2)
    assert "not in the figure" in figure.caption
    assert "not in the figure" not in probes_figures(result)[0].caption


def test_an_architecture_without_a_checkpoint_is_drawn_as_what_it_is():
    result = probings.probes_result(checkpoints=("a",), targets=("token",), init=False)
    bare = [replace(score, checkpoint="b", condition="random init") for score in result.scores]
    panel = probes_figures(replace(result, scores=(*result.scores, *bare)))[0].panels[0]
    (line,) = _lines(panel, "b (random init)")
    assert line.shape is not None
    assert not _lines(panel, RANDOM)


def test_classes_and_kinds_of_probe_have_panels_of_their_own():
    words = {"targets": ("upos",), "kind": "class", "checkpoints": ("a",)}
    linear = probings.probes_result(**words)
    network = probings.probes_result(**words, probe="mlp", seeds=5)
    (figure,) = probes_figures(replace(linear, scores=linear.scores + network.scores))
    assert [panel.title for panel in figure.panels] == [
        *("part of speech, linear probe", "part of speech, MLP"),
    ]
    assert {panel.y.label for panel in figure.panels} == {"macro-F1"}


def test_features_are_compared_by_error_and_correlation():
    result = probings.probes_result(
        checkpoints=("a", "b"), targets=("token", "sentence"), features=("state", "cosine", "norm")
    )
    figures = _figures(result)
    assert list(figures) == [
        *("probe-layers", "probe-features-token-linear", "probe-features-sentence-linear"),
    ]
    panels = figures["probe-features-token-linear"].panels
    assert [(panel.title, panel.y.label) for panel in panels] == [
        *(("a", "NRMSE"), ("a", "Pearson r"), ("b", "NRMSE"), ("b", "Pearson r")),
    ]
    wanted = {"target": "token", "checkpoint": "b", "feature": "norm"}
    for panel, metric in zip(panels[2:], (1, 2), strict=True):
        (line,) = _lines(panel, "norm")
        scores = _scores(result, condition="checkpoint", **wanted)
        np.testing.assert_array_equal(line.y, [score.scores[metric].value for score in scores])
        np.testing.assert_array_equal(line.low, [score.scores[metric].low for score in scores])
        random = _scores(result, condition="random init", **wanted)
        last = _lines(panel, RANDOM)[-1]
        np.testing.assert_array_equal(last.y, [score.scores[metric].value for score in random])
    # Panels of a metric share their axis, which has room for every interval.
    for first, second in (panels[::2], panels[1::2]):
        assert first.y == second.y
        for mark in (*first.marks, *second.marks):
            ends = [mark.y] if mark.low is None else [mark.low, mark.high]
            assert all(first.y.low <= end.min(initial=0) for end in ends)
    layers = figures["probe-layers"].panels[0]
    assert len([mark for mark in layers.marks if isinstance(mark, Line) and mark.shape]) == 2


def test_without_states_there_are_only_the_features():
    result = probings.probes_result(targets=("token",), features=("cosine", "norm"))
    assert list(_figures(result)) == ["probe-features-token-linear"]


def test_tracks_know_their_best_and_last_layer(result):
    track = next(t for t in tracks(result) if t.owner.checkpoint == "rope-small")
    values = {score.layer: score.headline.value for score in track.scores}
    assert track.best.headline.value == max(values.values())
    assert track.last.layer == 2
    random = track.random(track.best)
    assert (random.site, random.condition) == (track.best.site, "random init")
    none = probings.probes_result(init=False)
    assert tracks(none)[0].random(tracks(none)[0].best) is None


def test_sites_without_a_layer_are_not_drawn_but_kept():
    after = probings.probe_score(0.9, site="ln_final.hook_normalized", layer=None)
    result = probings.probes_result(checkpoints=("dstg-small",), targets=("token",))
    result = replace(result, scores=(*result.scores, after))
    assert [t.owner.place for t in tracks(result)] == [
        *("hook_resid_post", "ln_final.hook_normalized"),
    ]
    (figure,) = probes_figures(result)
    assert len([mark for mark in figure.marks() if mark.shape]) == 1
