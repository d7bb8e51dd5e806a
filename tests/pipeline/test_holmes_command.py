"""`posprobe holmes` and `posprobe holmes-data` as a user meets them."""

import json
from pathlib import Path

import pytest

from tests.checkpoints import save_decoder, save_encoder


@pytest.fixture
def words(tmp_path, posprobe):
    """A checkpoint and data sets made by the command itself."""
    lines = [{"sentence_good": f"ab{i}.", "sentence_bad": f"yz{i}."} for i in range(30)]
    for name in ("wh_island", "passive_1"):
        path = tmp_path / "blimp" / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(map(json.dumps, lines)))
    nope = save_decoder(tmp_path / "nope")
    status, out, err = posprobe("holmes-data", "blimp", "--out", "data", "--seed", 3)
    assert (status, err) == (0, "")
    assert out.split() == ["data/blimp-passive_1", "data/blimp-wh_island"]
    return ["holmes", nope, "--data", "data", "--seeds", 2]


def test_a_run_prints_its_table_and_writes_its_report(words, posprobe, no_network, monkeypatch):
    monkeypatch.setenv("POSPROBE_CACHE", "kept")
    status, out, err = posprobe(*words, "--init")
    assert (status, err) == (0, "")
    paths = [line for line in out.splitlines() if line.startswith("reports/")]
    assert [Path(path).suffix for path in paths] == [".json", ".csv", ".html"]
    before = {file: file.stat().st_mtime_ns for file in Path("kept/holmes").iterdir()}
    assert len(before) == 4
    posprobe(*words, "--init")
    assert {file: file.stat().st_mtime_ns for file in before} == before
    posprobe(*words, "--init", "--no-cache")
    assert all(file.stat().st_mtime_ns > then for file, then in before.items())


def test_the_command_in_the_provenance_makes_the_same_result(words, posprobe):
    options = ["--site", "hook_resid_post", "--only", "blimp-w*", "--mdl", "--no-special"]
    first = json.loads(posprobe(*words, *options, "--json", "--cache", "one")[1])
    command = first["provenance"]["command"]
    assert "--cache" not in command
    again = json.loads(posprobe(*command.replace("'", "").split()[1:], "--json", "--cache", "b")[1])
    assert again["result"] == first["result"]
    assert len(first["result"]["scores"]) == 2
    other = json.loads(posprobe(*words, *options, "--json", "--seed", 1)[1])
    assert other["result"] != first["result"]


def test_a_dry_run_runs_and_writes_nothing(words, posprobe):
    status, out, _ = posprobe(*words, "--dry-run", "--json")
    facts = json.loads(out)
    assert (status, facts["samples"]) == (0, 120)
    assert facts["finished"].startswith("0 of 2")
    assert not Path("reports").exists()


def test_two_checkpoints_are_compared(words, posprobe, tmp_path):
    dstg = save_encoder(tmp_path / "dstg")
    status, out, _ = posprobe("holmes", words[1], dstg, *words[2:], "--json")
    (comparison,) = json.loads(out)["result"]["comparisons"]
    assert status == 0
    assert (comparison["first"], comparison["second"]) == ("nope", "dstg")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("60,['a',,1,1,train\n", "blimp-wh_island/samples.csv: row 61: inputs is no list"),
        ("61,['a'],,1,1,bad\n", "row 61: set-0 is 'bad'"),
    ],
)
def test_a_malformed_row_takes_one_line(words, posprobe, change, expected):
    with Path("data/blimp-wh_island/samples.csv").open("a") as stream:
        stream.write(change)
    status, out, err = posprobe(*words)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert expected in err


def test_no_data_takes_one_line(words, posprobe):
    for mistake in (words[:2], [*words[:2], "--data", "nowhere"]):
        status, _, err = posprobe(*mistake)
        assert status == 2
        assert "--data" in err
