import numpy as np

from posprobe.report.comparison import COLUMNS, comparison_section
from tests.figures import comparisons


def test_the_headline_counts_and_names_the_largest_clear_difference():
    headline = comparison_section(comparisons.result()).headline
    known = [d for d in comparisons.result().differences if np.isfinite(d.low)]
    apart = [d for d in known if d.low > 0 or d.high < 0]
    assert headline[0].startswith(f"Of {len(known)} differences between dstg-tiny and ap-tiny")
    assert f"{len(apart)} are clear of 0; by chance about 1 would be" in headline[0]
    assert "manifold is in variance in PC1–2 at table: 0.50 for dstg-tiny" in headline[1]
    assert "No difference in heads is clear of 0" in headline[2]
    assert "attn.hook_z, layer 2: 0.50 for dstg-tiny, 0.71 for ap-tiny, +0.21" in headline[3]
    assert headline[-1] == "Left out: probe, which ap-tiny does not have."


def test_every_difference_is_in_a_table_beside_its_figure():
    result = comparisons.result()
    section = comparison_section(result)
    assert [block.figure.id for block in section.blocks] == [
        "compare-manifold-whole",
        "compare-heads-whole",
        "compare-heads-heads",
        "compare-adjacency-layers",
    ]
    rows = [row for block in section.blocks for row in block.tables[0].frame.to_dict("records")]
    for column, field in (("difference", "difference"), ("dstg-tiny", "a"), ("ap-tiny", "b")):
        shown = sorted(row[column] for row in rows if np.isfinite(row[column]))
        meant = [getattr(item, field) for item in result.differences]
        np.testing.assert_array_equal(shown, sorted(value for value in meant if np.isfinite(value)))


def test_what_has_no_interval_is_empty_and_what_is_undefined_says_so():
    blocks = comparison_section(comparisons.result()).blocks
    bare = blocks[0].tables[0].cells()[0]
    assert bare[-3:] == ["", "", "one table each"]
    assert "undefined" in blocks[1].tables[0].cells()[1]


def test_columns_are_those_of_the_frame():
    frame = comparisons.result().to_frame()
    assert list(COLUMNS) == list(frame.columns)
    assert len(frame) == len(comparisons.result().differences)
