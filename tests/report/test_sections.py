"""What each section says, and that its tables hold the numbers of the result."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from posprobe.figures.manifold_nulls import MEASURES
from posprobe.report import adjacency, decomposition, heads, holmes, manifold, probes
from posprobe.report.adjacency import adjacency_section
from posprobe.report.decomposition import decomposition_section
from posprobe.report.heads import heads_section
from posprobe.report.holmes import holmes_section
from posprobe.report.manifold import manifold_section
from posprobe.report.probes import probes_section
from tests.figures import decompositions, holmes_scores, probings, samples, trainings

SECTIONS = {
    "manifold": (manifold_section, samples.manifold_result(), manifold.COLUMNS),
    "heads": (heads_section, samples.heads_result(), heads.COLUMNS),
    "adjacency": (adjacency_section, samples.adjacency_result(heads=2), adjacency.COLUMNS),
    "probe": (probes_section, probings.probes_result(), probes.COLUMNS),
    "probe features": (
        probes_section,
        probings.probes_result(features=("state", "cosine")),
        probes.COLUMNS,
    ),
    "decomposition": (decomposition_section, decompositions.sample(), decomposition.COLUMNS),
    "decomposition of states": (
        decomposition_section,
        decompositions.sample(logits=False, init=False, streams=("whole",)),
        decomposition.COLUMNS,
    ),
    "holmes": (holmes_section, holmes_scores.holmes_result(), holmes.COLUMNS),
}


@pytest.fixture(params=SECTIONS)
def parts(request):
    return SECTIONS[request.param]


def test_every_column_of_the_csv_is_explained(parts):
    _, result, columns = parts
    assert list(columns) == list(result.to_frame().columns)


def test_headline_is_two_to_four_sentences_with_numbers(parts):
    make, result, _ = parts
    headline = make(result).headline
    assert 2 <= len(headline) <= 4
    assert all(sentence.endswith(".") for sentence in headline)
    assert any(character.isdigit() for character in headline[0])


def test_every_figure_has_numbers_or_says_where_they_are(parts):
    make, result, _ = parts
    for block in make(result).blocks:
        assert block.tables or block.beside or block.remark
        assert block.figure.alt
        assert block.figure.caption


def test_sections_name_their_source(parts):
    make, result, _ = parts
    assert "arXiv 2" in make(result).source


def _block(section, name):
    return next(block for block in section.blocks if block.figure and block.figure.id == name)


def test_manifold_tables_have_the_numbers_of_the_frame():
    result = samples.manifold_result()
    section = manifold_section(result)
    frame = result.to_frame()
    (nulls,) = _block(section, "manifold-nulls").tables
    plain = frame[frame["null"].isna()]
    for row in nulls.frame.to_dict("records"):
        name = next(key for key, word in MEASURES.items() if word == row["number"])
        own = frame[(frame.label == row["table"]) & (frame.quantity == name)]
        assert row["value"] == own[own["null"].isna()]["value"].item()
        assert row["random walk"] == own[own["null"] == "random walk"]["value"].item()
    curve = _block(section, "manifold-curve").tables[1].frame
    scores = plain[(plain.label == "ap-baseline") & (plain.quantity == "scores")]
    wide = scores.pivot_table(index="pos", columns="component", values="value")
    np.testing.assert_array_equal(curve[["PC1", "PC2", "PC3"]].to_numpy(), wide.to_numpy())


def test_manifold_headline_quotes_the_result():
    item = samples.manifold()
    headline = " ".join(manifold_section(samples.manifold_result(item)).headline)
    assert f"{100 * item.top2:.1f}\xa0%" in headline
    assert f"{100 * item.low4_top2:.1f}\xa0%" in headline
    assert "76.0\xa0%" in headline


@pytest.mark.parametrize(
    ("top2", "low4", "words"),
    [
        (0.9, 1.0, "Both are"),
        (0.9, 0.9, "The variance is"),
        (0.7, 1.0, "The smoothness is"),
        (0.8, 0.9, "Neither is"),
    ],
)
def test_manifold_verdict_takes_two_standard_deviations(top2, low4, words):
    # The nulls of the sample are 0.76 ± 0.03 and 0.94 ± 0.03; one is made narrower.
    item = samples.manifold()
    walk = replace(item.nulls["random walk"], low4_top2_sd=0.02)
    item = replace(item, top2=top2, low4_top2=low4, nulls=item.nulls | {"random walk": walk})
    assert manifold_section(samples.manifold_result(item)).headline[2].startswith(words)


def test_undefined_manifold_says_why():
    section = manifold_section(samples.manifold_result(samples.undefined_manifold()))
    assert section.headline == ("constant is undefined: all rows are equal.",)
    (block,) = section.blocks
    assert block.figure is None
    assert "undefined" in block.beside.cells()[0]
    assert "all rows are equal" in block.beside.notes[0]


def test_notes_of_the_rows_are_kept():
    item = samples.manifold(note="2 leading rows left out")
    section = manifold_section(samples.manifold_result(item))
    (table,) = _block(section, "manifold-nulls").tables
    assert table.notes == ("dstg-small: 2 leading rows left out.",)


def test_a_note_shared_by_layers_is_said_once():
    layers = samples.layered_result(layers=3, note="mean over 200 documents")
    section = manifold_section(layers)
    (table,) = _block(section, "manifold-layers").tables
    assert table.notes == (
        "dstg-small: mean over 200 documents.",
        "ap-baseline: mean over 200 documents.",
    )


def test_step_and_loss_stand_beside_the_numbers_where_they_are_known():
    result = samples.manifold_result(samples.manifold(step=4000, loss=2.5), samples.manifold("b"))
    section = manifold_section(result)
    assert list(section.overview.columns[:3]) == ["table", "step", "loss"]
    assert section.overview["loss"][0] == 2.5
    assert section.overview["loss"][1] is pd.NA
    facts = _block(section, "manifold-curve").beside
    assert facts.cells()[:2] == [["training step", "4,000", ""], ["held-out loss", "2.500", ""]]
    (nulls,) = _block(section, "manifold-nulls").tables
    assert nulls.frame["loss"].tolist()[:4] == [2.5, 2.5, 2.5, pd.NA]


def test_without_records_no_table_speaks_of_steps_or_losses():
    section = manifold_section(samples.manifold_result())
    tables = [table for block in section.blocks for table in (block.beside, *block.tables) if table]
    words = [*section.overview.columns, *(name for table in tables for name in table.frame.columns)]
    words += [cell for table in tables[:2] for row in table.cells() for cell in row]
    assert not {"step", "loss", "training step", "held-out loss"} & set(words)


@pytest.mark.parametrize(("loss", "warned"), [(2.05, False), (2.15, True), (None, False)])
def test_comparing_models_that_learned_different_amounts_is_warned_of(loss, warned):
    pair = samples.manifold(loss=2.0), samples.manifold("ap", loss=loss, noise=1.2)
    headline = manifold_section(samples.manifold_result(*pair)).headline
    assert ("must not be compared." in headline[-1]) is warned
    assert ("from 2.00 (dstg-small) to 2.15 (ap)" in headline[-1]) is warned


def test_the_warning_has_room_beside_many_tables():
    many = [samples.manifold(name, loss=float(place)) for place, name in enumerate("abcdef")]
    headline = manifold_section(samples.manifold_result(*many)).headline
    assert len(headline) == 4
    assert headline[2] == "4 more are in the tables below."
    assert "must not be compared" in headline[3]


def test_every_kept_step_is_in_the_overview_and_in_the_table_of_steps():
    result = trainings.forming_result(steps=(240, 8000))
    section = manifold_section(result)
    assert section.overview["step"].tolist() == [240, 8000, 240, 8000]
    (table,) = _block(section, "manifold-steps").tables
    assert table.frame["training"].tolist() == ["dstg-tiny"] * 2 + ["ap-tiny"] * 2
    for name, number in {
        "loss": "loss",
        MEASURES["low4_all"]: "low4_all",
        "participation ratio": "participation_ratio",
    }.items():
        meant = [getattr(item, number) for item in result.manifolds]
        np.testing.assert_array_equal(table.frame[name], meant)
    assert list(_block(section, "manifold-curve").beside.frame.columns[1:]) == [
        *("dstg-tiny", "ap-tiny"),
    ]
    assert len(_block(section, "manifold-curve").tables) == 2
    (nulls,) = _block(section, "manifold-nulls").tables
    assert len(nulls.frame) == 6


def test_headline_of_trainings_says_where_they_began():
    result = trainings.forming_result(steps=(240, 8000))
    headline = manifold_section(result).headline
    assert len(headline) == 3
    assert f"{100 * result.manifolds[0].top2:.1f}\xa0% at step 240)" in headline[0]
    assert f"{100 * result.manifolds[1].top2:.1f}\xa0% of the variance" in headline[0]
    assert headline[2].endswith("must not be compared; their earlier steps can be, at equal loss.")
    alone = trainings.forming_result(names=("dstg-tiny",), steps=(240, 8000))
    last = manifold_section(alone).headline[-1]
    assert f"were {100 * alone.manifolds[0].top2:.1f}\xa0% of the variance" in last


def test_undefined_ends_leave_the_figures_of_the_steps():
    first, middle, end = trainings.forming_result(("dstg-tiny",), (240, 800, 8000)).manifolds
    gone = replace(samples.undefined_manifold(end.label), step=8000)
    section = manifold_section(samples.manifold_result(first, middle, gone))
    assert section.headline == ("dstg-tiny is undefined: all rows are equal.",)
    assert section.blocks[0].figure is None
    (table,) = _block(section, "manifold-steps").tables
    assert "undefined" in table.cells()[2]
    assert table.notes == ("dstg-tiny: undefined, since all rows are equal.",)


def test_heads_tables_have_the_numbers_of_the_frame():
    result = samples.heads_result()
    section = heads_section(result)
    frame = result.to_frame()
    frame = frame[frame.weights == "checkpoint"]
    (table,) = _block(section, "heads-map").tables
    for name, quantity in (("ap share", "share"), ("rp s.e.", "share_se")):
        rows = frame[(frame.quantity == quantity) & (frame.term == name[:2])]
        np.testing.assert_array_equal(table.frame[name], rows["value"])
    effects = _block(section, "heads-effect")
    rows = frame[(frame.quantity == "divergence") & (frame.term == "sem")]
    np.testing.assert_array_equal(effects.tables[0].frame["semantic"], rows["value"])
    means = rows.groupby("layer")["value"].mean()
    np.testing.assert_allclose(effects.beside.frame["semantic"], means)


def test_heads_headline_counts_the_classes():
    result = samples.heads_result()
    first = heads_section(result).headline[0]
    for name, count in result.class_counts.items():
        assert (f"{count} " in first and name in first) or not count


def test_heads_without_ap_say_nothing_of_groups():
    section = heads_section(samples.heads_result(terms=("sem", "rp")))
    assert not any("groups" in sentence for sentence in section.headline)
    assert "ap share" not in section.overview


def test_undefined_heads_are_words_in_the_table():
    (table,) = _block(heads_section(samples.undefined_heads()), "heads-map").tables
    row = table.cells()[1]
    assert row[:4] == ["0", "1", "undefined", "undefined"]


def test_adjacency_tables_have_the_numbers_of_the_frame():
    result = samples.adjacency_result(heads=2)
    section = adjacency_section(result)
    frame = result.to_frame()
    (table,) = _block(section, "adjacency-layers").tables
    assert len(table.frame) == 12
    means = frame[(frame.quantity == "mean") & frame["head"].isna()]
    for feature in ("cosine", "norm"):
        for average in ("rows", "triples"):
            own = means[(means.feature == feature) & (means.average == average)]
            np.testing.assert_array_equal(table.frame[f"{feature}, {average}"], own["value"])
    matrix = _block(section, "adjacency-similarity-attn-hook-z").tables[1].frame
    np.testing.assert_array_equal(matrix.iloc[:, 1:].to_numpy(), result.similarity[1].matrix)


def test_adjacency_overview_has_a_row_per_site_and_a_column_per_layer():
    result = samples.adjacency_result(layers=3)
    overview = adjacency_section(result).overview
    assert list(overview.columns[:4]) == ["condition", "site", "score", "embedding"]
    means = {
        (s.condition, s.layer): s.rows_mean
        for s in result.scores
        if s.feature == "cosine" and s.site in ("hook_embed", f"blocks.{s.layer}.attn.hook_z")
    }
    for _, row in overview.query("site == 'attn.hook_z' and score == 'cosine, rows'").iterrows():
        assert row["embedding"] == means[row["condition"], -1]
        assert row["2"] == means[row["condition"], 2]
    assert set(overview["score"]) == {"cosine, rows", "cosine, triples", "norm, rows"}
    only = replace(result, scores=tuple(s for s in result.scores if s.layer == -1))
    assert set(adjacency_section(only).overview["site"]) == {"hook_embed"}


def test_adjacency_of_one_feature_leaves_gaps_not_undefined():
    result = samples.adjacency_result()
    scores = tuple(s for s in result.scores if s.feature == "cosine" or s.layer != 0)
    (table,) = _block(adjacency_section(replace(result, scores=scores)), "adjacency-layers").tables
    assert table.cells()[1][-1] == ""
    assert "undefined" not in str(table.cells())


def test_undefined_adjacency_says_why():
    result = samples.adjacency_result()
    nan = float("nan")
    gone = replace(result.scores[0], rows_mean=nan, rows_low=nan, undefined="under 3 tokens")
    section = adjacency_section(replace(result, scores=(gone, *result.scores[1:])))
    (table,) = _block(section, "adjacency-layers").tables
    assert "undefined" in table.cells()[0]
    assert "under 3 tokens" in table.notes[0]
    assert "under 3 tokens" in section.headline[-1]


def test_layers_that_see_a_window_are_named():
    result = replace(decompositions.sample(), reach=(None, 3, 3))
    assert decomposition_section(result).limits.endswith(
        " Layers 1 and 2 see keys at most 3 tokens away, so that only these pairs count there."
    )
    one = replace(result, reach=(1, None, result.positions))
    assert "Layer 0 sees keys at most 1 token away, so" in decomposition_section(one).limits
    assert "Layer 2" not in decomposition_section(one).limits
    hidden = replace(result, logits=None)
    assert "tokens away" not in decomposition_section(hidden).limits


def test_decomposition_tables_have_the_numbers_of_the_result():
    result = decompositions.sample()
    section = decomposition_section(result)
    (states,) = _block(section, "decomposition-states").tables
    for row in states.frame.to_dict("records"):
        layer = -1 if row["layer"] == "embedding" else int(row["layer"])
        own = [p for p in result.states if (p.stream, p.layer) == (row["stream"], layer)]
        assert [row["position"], row["content"], row["rest"]] == own[0].share.tolist()
        assert (row["rank"], row["low4"]) == (own[0].rank, own[0].low4)
    (heads,) = _block(section, "decomposition-heads").tables
    for row in heads.frame.to_dict("records"):
        share = result.logits.share[row["layer"], row["head"]]
        assert [row["absolute"], row["content"], row["relative"]] == share.tolist()
    (agreement,) = _block(section, "decomposition-agreement").tables
    lowest = result.logits.agreement[1, :, 2].min()
    assert agreement.frame["content, lowest"][1] == lowest


def test_a_position_that_stands_alone_is_named_with_what_leaves_it_out():
    result = decompositions.sample(streams=("whole",))
    last = replace(result.states[-1], peak=0, peak_share=0.93)
    told = decomposition_section(replace(result, states=(*result.states[:-1], last))).headline
    assert "93.0\xa0% of it is position 0 alone, which `--start 1` leaves out" in told[1]


def test_no_position_above_chance_is_said():
    result = decompositions.sample(streams=("whole",))
    last = replace(result.states[-1], rank=0, low4=float("nan"))
    told = decomposition_section(replace(result, states=(*result.states[:-1], last))).headline
    assert told[1] == "No position part stands above chance in the states of the last layer."
