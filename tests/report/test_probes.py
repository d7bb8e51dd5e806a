from dataclasses import replace

import numpy as np
import pytest

from posprobe.figures.words import decimal
from posprobe.report.page import render_page
from posprobe.report.probes import probes_section
from tests.figures import probings, samples
from tests.report.pages import Page, number

STREAMS = ("whole", "ap", "sem")


@pytest.fixture(scope="module")
def result():
    return probings.probes_result(streams=STREAMS)


@pytest.fixture(scope="module")
def section(result):
    return probes_section(result)


def _block(section, name):
    return next(block for block in section.blocks if block.figure and block.figure.id == name)


def _frame(result, **wanted):
    frame = result.to_frame()
    for name, value in wanted.items():
        frame = frame[frame[name] == value]
    return frame["value"].tolist()


def test_table_by_stream_has_the_numbers_of_the_frame(result, section):
    table = _block(section, "probe-token-linear").tables[0].frame
    assert list(table.columns[:5]) == ["checkpoint", "layer", "whole", "ap", "sem"]
    own = table[table["checkpoint"] == "ap-small"]
    assert own["layer"].tolist() == ["embedding", "0", "1", "2"]
    wanted = {"target": "token", "checkpoint": "ap-small", "metric": "r2"}
    for stream in STREAMS:
        where = {**wanted, "stream": stream}
        trained = {**where, "condition": "checkpoint"}
        assert own[stream].tolist() == _frame(result, quantity="value", **trained)
        over = _frame(result, quantity="selectivity_identity", **trained)
        assert own[f"{stream}, over identity"].tolist() == over
        random = _frame(result, quantity="value", condition="random init", **where)
        assert own[f"{stream}, random init"].tolist() == random


def test_table_of_scores_has_interval_metrics_and_controls(result, section):
    table = _block(section, "probe-sentence-linear").tables[1].frame
    own = table[(table["checkpoint"] == "rope-small") & (table["stream"] == "ap")]
    wanted = {"target": "sentence", "checkpoint": "rope-small", "stream": "ap"}
    wanted |= {"condition": "checkpoint"}
    for column, where in {
        "R²": {"metric": "r2", "quantity": "value"},
        "low": {"metric": "r2", "quantity": "low"},
        "high": {"metric": "r2", "quantity": "high"},
        "identity": {"quantity": "identity"},
        "shuffled": {"quantity": "shuffled"},
        "over shuffled": {"quantity": "selectivity_shuffled"},
        "NRMSE": {"metric": "nrmse", "quantity": "value"},
        "Pearson r": {"metric": "pearson", "quantity": "value"},
    }.items():
        assert own[column].tolist() == _frame(result, **wanted, **where), column


def test_checkpoints_without_a_stream_leave_gaps_not_undefined():
    both = probings.probes_result(checkpoints=("a",), streams=("whole", "ap"), targets=("token",))
    plain = probings.probes_result(checkpoints=("b",), targets=("token",))
    section = probes_section(replace(both, scores=both.scores + plain.scores))
    table = section.blocks[0].tables[0]
    cells = dict(zip(table.frame.columns, table.cells()[-1], strict=True))
    assert (cells["checkpoint"], cells["ap"]) == ("b", "")
    assert "undefined" not in str(table.cells())


def test_overview_has_the_best_and_the_last_layer(result, section):
    overview = section.overview
    assert len(overview) == 5 * 3 * 3
    row = overview.query("target == 'to-end' and checkpoint == 'ap-small' and stream == 'ap'")
    wanted = {"target": "to-end", "checkpoint": "ap-small", "stream": "ap", "metric": "r2"}
    scores = _frame(result, quantity="value", condition="checkpoint", **wanted)
    best = int(np.argmax(scores))
    assert row["R²"].item() == scores[best]
    assert row["best layer"].item() == str(best - 1)
    assert row["last layer"].item() == scores[-1]
    random = _frame(result, quantity="value", condition="random init", **wanted)
    assert row["random init"].item() == random[best]
    assert row["over identity"].item() == pytest.approx(scores[best] - row["identity"].item())


def test_overview_leaves_out_what_is_the_same_everywhere():
    one = probings.probes_result(checkpoints=("a",), init=False)
    columns = list(probes_section(one).overview)
    assert columns[:3] == ["target", "best layer", "R²"]
    assert "random init" not in columns


def test_headline_says_best_last_and_controls(result, section):
    scores = [s for s in result.scores if s.target == "token" and s.condition == "checkpoint"]
    best = max(scores, key=lambda s: s.headline.value)
    first = section.headline[0]
    assert f"in layer {best.layer} of {best.checkpoint}: R² {decimal(best.headline.value)}" in first
    assert f"[{decimal(best.headline.low)}, {decimal(best.headline.high)}]" in first
    last = next(
        s for s in scores if (s.checkpoint, s.stream, s.layer) == (best.checkpoint, best.stream, 2)
    )
    assert f"and {decimal(last.headline.value)} in the last layer" in first
    assert "token identity alone gives 0.06, random weights" in first
    assert "ap-small" in section.headline[1]
    assert "rope-small" in section.headline[1]
    for name in ("sentence R²", "paragraph R²", "place in the sentence R²"):
        assert name in section.headline[2]


def test_headline_names_the_stream_and_the_embedding():
    early = probings.probe_score(0.9, stream="ap", site="hook_embed", layer=-1)
    late = probings.probe_score(0.5, stream="ap", site="blocks.0.hook_resid_post_ap", layer=0)
    result = replace(probings.probes_result(targets=("token",)), scores=(early, late))
    first = probes_section(result).headline[0]
    assert first.startswith("Token position is read best at the token embedding of dstg-small, ap")
    assert "0.50 in the last layer" in first
    assert "random weights" not in first


def test_features_have_a_table_and_a_sentence():
    result = probings.probes_result(
        checkpoints=("nope",), targets=("token",), features=("state", "cosine", "norm")
    )
    section = probes_section(result)
    table = _block(section, "probe-features-token-linear").tables[0].frame
    own = table[table["feature"] == "norm"]
    wanted = {"feature": "norm", "condition": "checkpoint"}
    for column, metric, quantity in (
        ("NRMSE", "nrmse", "value"),
        ("NRMSE, low", "nrmse", "low"),
        ("Pearson r, high", "pearson", "high"),
    ):
        found = _frame(result, metric=metric, quantity=quantity, **wanted)
        assert own[column].tolist() == found
    errors = _frame(result, metric="nrmse", quantity="value", **wanted)
    assert f"norm {decimal(min(errors), 3)}" in section.headline[-2]
    # The whole state headlines, even where a part of it scores as high.
    assert len(_block(section, "probe-layers").tables[0].frame) == 4


def test_undefined_targets_are_said():
    result = probings.probes_result(checkpoints=("a",), targets=("token",))
    lost = probings.undefined_score(checkpoint="a", target="paragraph")
    result = replace(
        result,
        targets=("token", "paragraph"),
        scores=(*result.scores, lost),
        notes={"paragraph": "a: the same for all tokens."},
    )
    section = probes_section(result)
    assert "Undefined: paragraph (constant)." in section.headline
    remark = section.blocks[-1].remark
    assert "Undefined: paragraph (constant)." in remark
    assert "Paragraph: a: the same for all tokens." in remark
    assert "paragraph" not in [table.caption for table in section.blocks[0].tables]
    row = section.overview.iloc[-1]
    assert row["best layer"] == "undefined"
    assert np.isnan(row["R²"])


def test_single_undefined_places_are_counted():
    result = probings.probes_result(checkpoints=("a",), targets=("token",))
    lost = probings.undefined_score(checkpoint="a", layer=3, site="blocks.3.hook_resid_post")
    table = probes_section(replace(result, scores=(*result.scores, lost))).blocks[0].tables[0]
    assert table.notes == ("Undefined in 1 of 5 places: constant.",)
    assert "undefined" in table.cells()[-1]


def test_nothing_defined_still_makes_a_page():
    result = probings.probes_result(targets=("token",))
    section = probes_section(replace(result, scores=(probings.undefined_score(),)))
    assert section.headline[0] == "Undefined: token position (constant)."
    text = render_page(section, samples.provenance(), interactive=False)
    assert "Undefined: token position (constant)." in "".join(Page(text).text)


def test_sites_without_a_layer_have_a_table():
    after = probings.probe_score(0.9, site="ln_final.hook_normalized", layer=None)
    result = replace(probings.probes_result(targets=("token",)), scores=(after,))
    (block,) = probes_section(result).blocks
    assert block.figure is None
    assert block.tables[0].frame["layer"].tolist() == ["none"]
    assert "at ln_final.hook_normalized of dstg-small" in probes_section(result).headline[0]


def test_seeds_show_their_spread():
    result = probings.probes_result(
        checkpoints=("a",), targets=("token",), probe="mlp", seeds=5, init=False
    )
    table = probes_section(result).blocks[0].tables[0].frame
    by_seed = [score.headline.by_seed for score in result.scores]
    np.testing.assert_allclose(table["sd over seeds"], np.std(by_seed, axis=1, ddof=1))


def test_glance_has_each_checkpoint_under_its_own_name(result, section):
    assert list(section.glance) == ["dstg-small", "ap-small", "rope-small"]
    values = _frame(
        result, target="token", checkpoint="ap-small", condition="checkpoint", quantity="value"
    )
    assert section.glance["ap-small"]["token position: R² where it is best"] in values


def test_tables_on_the_page_are_those_of_the_result():
    result = probings.probes_result(checkpoints=("a",), targets=("token",))
    text = render_page(probes_section(result), samples.provenance(), interactive=False)
    rows = Page(text).table("Token position: each score")
    scores = [score for score in result.scores if score.condition == "checkpoint"]
    for row, score in zip(rows, scores, strict=True):
        assert number(row["R²"]) == pytest.approx(score.headline.value, abs=5e-4)
        assert number(row["over identity"]) == pytest.approx(score.selectivity_identity, abs=5e-4)
