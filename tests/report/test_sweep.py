import json
from dataclasses import replace

import pandas as pd

from posprobe.analysis.sweep import SweepCell, SweepResult
from posprobe.core.provenance import Provenance
from posprobe.report.report import Report
from posprobe.report.saved import read_reports
from posprobe.report.sweep import sweep_section
from posprobe.report.sweep_report import SweepReport
from tests.figures.test_sweep import grid

RESULT = grid(layers=[2, 3], width=[10, 20])
BROKEN = replace(
    RESULT,
    cells=(
        *RESULT.cells,
        SweepCell(measure="adjacency", at={"layers": 4, "width": 10}, failed="no such model"),
    ),
)


def report(result):
    return Report(
        measure="sweep",
        result=result,
        provenance=Provenance(command="posprobe sweep x", checkpoints=()),
    )


def test_the_headline_has_the_ends_of_the_range():
    (sentence,) = sweep_section(RESULT).headline
    assert sentence == (
        "Adjacency score, attn.hook_z, last layer: from 0.021 (layers 2, width 10) to "
        "0.032 (layers 3, width 20)."
    )


def test_the_headline_says_which_weights_where_there_are_several():
    cells = []
    for cell in RESULT.cells:
        trained = [replace(point, condition="checkpoint", value=0.9) for point in cell.points]
        cells.append(replace(cell, points=(*cell.points, *trained)))
    (sentence,) = sweep_section(replace(RESULT, cells=tuple(cells))).headline
    assert "from 0.021 (layers 2, width 10, random init) to 0.900 (" in sentence
    assert sentence.endswith(", checkpoint).")


def test_a_single_cell_has_no_range():
    (sentence,) = sweep_section(replace(RESULT, cells=RESULT.cells[:1])).headline
    assert sentence == "Adjacency score, attn.hook_z, last layer: 0.021."


def test_every_measure_has_its_first_sentence_before_any_has_its_second():
    cells = []
    for cell in RESULT.cells:
        more = [replace(p, quantity=f"another {n}", place="x") for n in "ab" for p in cell.points]
        cells.append(replace(cell, points=(*cell.points, *more)))
        cells.append(replace(cell, measure="heads"))
    sentences = sweep_section(replace(RESULT, cells=tuple(cells))).headline
    assert [sentence.split(",")[0] for sentence in sentences] == [
        "Adjacency score",
        "Adjacency score",
        "Another a",
    ]


def test_every_number_drawn_is_in_a_table():
    (block,) = sweep_section(RESULT).blocks
    frame = block.tables[0].frame
    assert list(frame.columns) == ["layers", "width", "condition", "layer", "value"]
    assert len(frame) == 2 * 3 + 2 * 4
    row = frame[(frame["layers"] == "3") & (frame["width"] == "20") & (frame["layer"] == "2")]
    assert row["value"].item() == 0.032002


def test_the_terminal_has_a_row_per_cell():
    frame = sweep_section(RESULT).overview
    assert "failed" not in frame
    assert frame["width"].tolist() == ["10", "20", "10", "20"]
    assert frame.loc[3, "first"] == 0.032
    assert frame.loc[3, "last"] == 0.032002


def test_failed_cells_are_named():
    section = sweep_section(BROKEN)
    assert section.headline[-1] == (
        "1 of 5 cells failed; the first, layers 4, width 10: no such model."
    )
    assert section.blocks[-1].beside.frame["reason"].tolist() == ["no such model"]
    assert section.overview["failed"].tolist()[-1] == "no such model"
    assert section.overview["last"].isna().tolist() == [False] * 4 + [True]
    page = report(BROKEN).html()
    assert "Cells that failed" in page


def test_nothing_but_failures_is_a_page_too():
    section = sweep_section(replace(BROKEN, cells=BROKEN.cells[-1:]))
    assert "1 of 1 cells failed" in section.headline[0]
    assert section.overview["failed"].tolist() == ["no such model"]


def test_columns_are_explained_and_json_comes_back(tmp_path):
    found = report(BROKEN)
    explained = set(sweep_section(BROKEN).columns)
    assert set(BROKEN.to_frame().columns) == explained
    numbers = BROKEN.to_frame()
    paths = SweepReport(report=found, numbers=numbers).save(tmp_path)
    pd.testing.assert_frame_equal(pd.read_parquet(paths[-1]), numbers, check_dtype=False)
    (again,) = read_reports(tmp_path / "sweep.json")
    assert isinstance(again.result, SweepResult)
    assert again.json() == found.json()
    assert json.loads(found.json())["result"]["cells"][0]["at"] == {"layers": 2, "width": 10}
