from dataclasses import replace

import numpy as np
import pytest

from posprobe.report.holmes import holmes_section
from posprobe.report.page import render_page
from tests.figures import holmes_scores, samples
from tests.report.pages import Page


@pytest.fixture(scope="module")
def result():
    return holmes_scores.holmes_result()


@pytest.fixture(scope="module")
def section(result):
    return holmes_section(result)


def _block(section, name):
    return next(block for block in section.blocks if block.figure and block.figure.id == name)


def test_headline_counts_phenomena_and_tests_the_count(result, section):
    (pair,) = [c for c in result.comparisons if c.second == "rope-small"]
    assert (
        f"dstg-small scores higher than rope-small on {pair.better} of 8 phenomena, lower on "
        f"{pair.worse}"
    ) in section.headline[1]
    assert f"sign test p\xa0=\xa0{pair.p_value:.3f}" in section.headline[1]
    means = {(f.checkpoint, f.condition): f.score for f in result.fields if f.field == "all"}
    assert f"dstg-small {means['dstg-small', 'checkpoint']:.2f}" in section.headline[0]
    assert f"with random weights {means['dstg-small', 'random init']:.2f}" in section.headline[0]
    assert "with shuffled labels 0.40" in section.headline[0]
    assert "16 data sets from flash-holmes" in section.headline[-1]


def test_comparisons_stand_beside_the_fields(result, section):
    table = _block(section, "holmes-fields").beside
    rows = table.frame.to_dict("records")
    assert [(row["first"], row["second"]) for row in rows] == [
        ("dstg-small", "rope-small"),
        ("dstg-small", "random init"),
        ("rope-small", "random init"),
    ]
    (pair,) = [c for c in result.comparisons if c.second == "rope-small"]
    assert (rows[0]["first higher"], rows[0]["second higher"]) == (pair.better, pair.worse)
    assert "ties" not in table.frame


def test_ties_are_shown_where_there_are_any(result):
    tied = replace(result, comparisons=(replace(result.comparisons[0], ties=2),))
    assert _block(holmes_section(tied), "holmes-fields").beside.frame["ties"].tolist() == [2]


def test_tables_have_the_numbers_of_the_frame(result, section):
    frame = result.to_frame()
    frame = frame[(frame.checkpoint == "rope-small") & (frame.condition == "checkpoint")]
    (fields,) = _block(section, "holmes-fields").tables
    own = frame[(frame.level == "field") & (frame.quantity == "score")]
    wanted = own.set_index("field")["value"]
    for _, row in fields.frame.iterrows():
        assert row["rope-small"] == wanted[row["field"]]
    phenomena, datasets = _block(section, "holmes-syntax").tables
    own = frame[(frame.level == "phenomenon") & (frame.field == "syntax")]
    wanted = own[own.quantity == "score"].set_index("phenomenon")["value"]
    by_seed = own[own.quantity == "by_seed"].groupby("phenomenon")["value"]
    for _, row in phenomena.frame.iterrows():
        assert row["rope-small"] == wanted[row["phenomenon"]]
        assert row["rope-small, shuffled"] == 0.4
        seeds = by_seed.get_group(row["phenomenon"])
        assert row["rope-small, sd"] == pytest.approx(np.std(seeds, ddof=1))
    own = frame[(frame.level == "dataset") & (frame.field == "syntax")]
    shown = datasets.frame.query("checkpoint == 'rope-small' and condition == 'checkpoint'")
    for column, quantity in {
        **{"score": "score", "sd": "sd", "selectivity": "selectivity", "bits": "bits"},
        **{"test": "n_test", "left out": "left_out"},
    }.items():
        np.testing.assert_array_equal(shown[column], own[own.quantity == quantity]["value"])


def test_overview_has_a_row_for_each_checkpoint_and_condition(result, section):
    overview = section.overview
    assert list(overview.columns) == [
        *("checkpoint", "condition", "all", "morphology", "syntax", "discourse"),
        *("shuffled", "phenomena"),
    ]
    assert len(overview) == 4
    row = overview.query("checkpoint == 'rope-small' and condition == 'random init'")
    wanted = next(
        f.score
        for f in result.fields
        if (f.checkpoint, f.condition, f.field) == ("rope-small", "random init", "syntax")
    )
    assert row["syntax"].item() == wanted


def test_places_are_named_where_there_are_several():
    section = holmes_section(holmes_scores.holmes_result(places=("last layer", "hook_embed")))
    assert section.overview["place"].tolist() == ["last layer"] * 4 + ["hook_embed"] * 4
    (fields,) = _block(section, "holmes-fields").tables
    assert list(fields.frame.columns[:2]) == ["field", "place"]
    assert _block(section, "holmes-fields").beside.frame["place"].nunique() == 2


def test_undefined_data_sets_say_why_once():
    lost = [
        holmes_scores.undefined_dataset(dataset=f"d{index}", checkpoint="dstg-small")
        for index in range(6)
    ]
    section = holmes_section(holmes_scores.holmes_result(more=lost))
    datasets = _block(section, "holmes-syntax").tables[1]
    assert datasets.notes == (
        "d0, d1, d2, d3 and 2 more: undefined, since the labels are all alike.",
    )
    assert "6 could not be scored everywhere" in section.headline[-1]
    assert datasets.cells()[0][6] == "undefined"


def test_what_the_data_lacks_is_said(result):
    noted = replace(result, notes=("The map does not know x.",))
    assert _block(holmes_section(noted), "holmes-fields").remark == "The map does not know x."


def test_nothing_defined_still_makes_a_page():
    lost = holmes_scores.undefined_dataset()
    section = holmes_section(holmes_scores.holmes_result(checkpoints=(), more=(lost,)))
    assert section.headline[0] == "No data set has a score."
    text = render_page(section, samples.provenance(), interactive=False)
    assert "No data set has a score." in "".join(Page(text).text)


def test_one_checkpoint_has_no_rival():
    section = holmes_section(holmes_scores.holmes_result(checkpoints=("a",), init=False))
    assert _block(section, "holmes-fields").beside is None
    assert "scores higher" not in " ".join(section.headline)
    assert list(section.glance) == ["a"]
