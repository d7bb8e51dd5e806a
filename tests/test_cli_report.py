"""The commands that put several measures or checkpoints on a page."""

import json
from pathlib import Path

import pandas as pd
import pytest

from posprobe import terminal

FEW = ["--documents", 8, "--prompts", 4, "--no-init"]


def _paths(out):
    return [line for line in out.splitlines() if line.startswith("reports/")]


def test_a_report_and_its_page_from_saved_results(posprobe, no_network, dstg, nope):
    words = ["report", dstg, nope, "--measures", "heads,adjacency", *FEW]
    status, out, err = posprobe(*words)
    assert (status, err) == (0, "")
    assert "Left out: heads of nope" in out
    paths = _paths(out)
    assert paths[-1] == "reports/dstg+nope/report.html"
    assert "reports/dstg+nope/adjacency-nope.json" in paths
    assert Path("reports/index.html").is_file()
    before = {path: Path(path).read_bytes() for path in paths}
    status, out, _ = posprobe("report", "--from", "reports/dstg+nope")
    assert (status, _paths(out)) == (0, ["reports/dstg+nope/report.html"])
    after = {path: Path(path).read_bytes() for path in paths}
    assert {path for path in paths if after[path] != before[path]} == {paths[-1]}


def test_claims_in_haste_do_not_replace_those_measured_whole(posprobe):
    status, out, _ = posprobe("reproduce", "--quick", "--claim", "A7", "--figures", "drawn")
    assert status == 0
    assert _paths(out)[-1] == "reports/quick/claims.html"
    assert "claims.html" in Path("reports/quick/index.html").read_text()
    assert not Path("reports/claims.json").exists()
    _, out, _ = posprobe("reproduce", "--claim", "A7")
    assert _paths(out)[-1] == "reports/claims.html"


def test_every_folder_of_saved_results_gets_a_page(posprobe, dstg, nope):
    posprobe("heads", dstg, "--documents", 4, "--no-init")
    posprobe("adjacency", nope, "--prompts", 2)
    status, out, _ = posprobe("report", "--from", "reports")
    pages = ["reports/dstg/report.html", "reports/nope/report.html"]
    assert (status, _paths(out)) == (0, pages)
    assert pages[0].removeprefix("reports/") in Path("reports/index.html").read_text()
    status, out, _ = posprobe(
        *("report", "--from", "reports/dstg", "--from", "reports/nope", "--out", "both", "--json")
    )
    assert [item["measure"] for item in json.loads(out)["reports"]] == ["heads", "adjacency"]
    assert Path("both/dstg+nope/heads.json").is_file()


def test_a_comparison_writes_its_page_and_figures(posprobe, no_network, nope):
    words = ["compare", nope, nope, "--measures", "adjacency", *FEW, "--figures", "pictures"]
    status, out, err = posprobe(*words)
    assert (status, err) == (0, "")
    assert any(path.endswith("/compare.html") for path in _paths(out))
    pictures = {path.name for path in Path("pictures").iterdir()}
    assert pictures == {"compare-adjacency-layers.png", "compare-adjacency-layers.svg"}


def test_every_measure_writes_figures(posprobe, nope):
    status, out, _ = posprobe("adjacency", nope, "--prompts", 2, "--figures", "pictures")
    assert status == 0
    pictures = sorted(path.name for path in Path("pictures").iterdir())
    assert {"adjacency-layers.png", "adjacency-layers.svg"} <= set(pictures)
    assert len([line for line in out.splitlines() if line.startswith("pictures/")]) == len(pictures)


def test_dry_runs_say_what_would_run_and_write_nothing(posprobe, nope, tmp_path):
    status, out, _ = posprobe("report", nope, "--dry-run")
    assert status == 0
    assert "heads of nope" in out
    assert "left out, since" in out
    assert posprobe("compare", nope, nope, "--dry-run")[0] == 0
    assert not (tmp_path / "reports").exists()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["report"], "name checkpoints, or a folder"),
        (["report", "NOPE", "--from", "x"], "name checkpoints, or a folder"),
        (["report", "--from", "gone"], "gone: no saved reports"),
        (["report", "NOPE", "--measures", "mood"], "--measures mood: not known"),
        (["report", "NOPE", "--measures", "heads"], "nothing was measured"),
        (["report", "no-such"], "no-such: no such file"),
        (["report", "NOPE", "--figures", "NOPE/config.json"], "--figures"),
        (["compare", "NOPE"], "'B'"),
        (["compare", "NOPE", "gone"], "gone: no such file"),
        (["compare", "NOPE", "NOPE", "--resamples", "5"], "--resamples 5: must be at least 100"),
    ],
)
def test_bad_input_is_one_line_and_status_2(posprobe, nope, words, expected):
    status, out, err = posprobe(*(word.replace("NOPE", str(nope)) for word in words))
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert expected in err


def test_pictures_are_for_people_and_not_for_pipes(monkeypatch, capsys):
    layers = pd.DataFrame({"site": ["z"], "embedding": [0.0], "0": [0.5], "1": [1.0]})
    shares = pd.DataFrame({"layer": [0, 1], "share": [0.5, 1.0], "bits": [3.5, 0.1]})
    for frame in (layers, shares):
        terminal.print_table(frame, ["A sentence."])
    assert not set(capsys.readouterr().out) & set("▁▅█")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    for frame in (layers, shares):
        terminal.print_table(frame, ["A sentence."])
    out = capsys.readouterr().out
    assert "▁▅█" in out
    assert "0.500 ██" in out
    assert "3.500 █" not in out
