"""What each section says, and that its tables hold the numbers of the result."""

from dataclasses import replace

import numpy as np
import pytest

from posprobe.figures.manifold_nulls import MEASURES
from posprobe.report import adjacency, heads, manifold
from posprobe.report.adjacency import adjacency_section
from posprobe.report.heads import heads_section
from posprobe.report.manifold import manifold_section
from tests.figures import samples

SECTIONS = {
    "manifold": (manifold_section, samples.manifold_result(), manifold.COLUMNS),
    "heads": (heads_section, samples.heads_result(), heads.COLUMNS),
    "adjacency": (adjacency_section, samples.adjacency_result(heads=2), adjacency.COLUMNS),
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
    assert list(overview.columns[:4]) == ["condition", "site", "feature", "embedding"]
    means = {
        (s.condition, s.layer): s.rows_mean
        for s in result.scores
        if s.feature == "cosine" and s.site in ("hook_embed", f"blocks.{s.layer}.attn.hook_z")
    }
    for _, row in overview.query("site == 'attn.hook_z' and feature == 'cosine'").iterrows():
        assert row["embedding"] == means[row["condition"], -1]
        assert row["2"] == means[row["condition"], 2]
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
