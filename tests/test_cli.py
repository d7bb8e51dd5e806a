"""The command line as a user meets it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from posprobe.cli import app
from posprobe.exits import run_and_exit
from tests.checkpoints import save_encoder


def measures(dstg, nope):
    return {
        "manifold": ["manifold", dstg, "--draws", 2],
        "states": ["manifold", nope, dstg, "--source", "states", "--documents", 4, "--draws", 2],
        "heads": ["heads", dstg, "--documents", 4],
        "adjacency": ["adjacency", nope, "--prompts", 4, "--noncausal", "--permute", "--init"],
        "probe": ["probe", nope, dstg, "--documents", 16, "--folds", 2, "--layer", 1],
    }


@pytest.mark.parametrize("name", ["manifold", "states", "heads", "adjacency", "probe"])
def test_every_measure_writes_its_report_without_a_network(posprobe, no_network, dstg, nope, name):
    status, out, err = posprobe(*measures(dstg, nope)[name])
    assert err == ""
    assert status == 0
    paths = [line for line in out.splitlines() if line.startswith("reports/")]
    assert [Path(path).suffix for path in paths] == [".json", ".csv", ".html"]
    record = json.loads(Path(paths[0]).read_text())
    assert {"schema_version", "result", "provenance"} <= set(record)


def test_the_command_in_the_provenance_makes_the_same_result(posprobe, nope):
    words = ["adjacency", nope, "--prompts", 3, "--per-head", "--site", "attn.hook_z", "--seed", 5]
    first = json.loads(posprobe(*words, "--json")[1])
    command = first["provenance"]["command"].split()
    assert command[0] == "posprobe"
    again = json.loads(posprobe(*command[1:], "--json")[1])
    assert again["result"] == first["result"]
    other = json.loads(posprobe(*command[1:], "--json", "--seed", "6")[1])
    assert other["result"] != first["result"]


def test_the_command_of_several_probes_makes_the_same_result(posprobe, nope, dstg):
    words = ["probe", nope, dstg, "--documents", 16, "--folds", 2, "--target", "to-end"]
    words += ["--layers", "-1,1", "--features", "norm, cosine+norm", "--no-init"]
    words += ["--test-share", 0.5, "--length", 30, "--target", "boundary", "--stream", "whole"]
    first = json.loads(posprobe(*words, "--json")[1])
    command = first["provenance"]["command"].split()
    assert command.count("--layer") == command.count("--feature") == 2
    again = json.loads(posprobe(*command[1:], "--json")[1])
    assert again["result"] == first["result"]
    assert len(first["provenance"]["tokens"]) == 2


def test_json_on_stdout_is_strict_and_alone(posprobe, dstg):
    status, out, err = posprobe("heads", dstg, "--documents", 3, "--json")

    def refuse(constant):
        raise AssertionError(constant)

    assert status == 0
    assert json.loads(out, parse_constant=refuse)["measure"] == "heads"
    assert "reports/dstg/heads.html" in err


def test_dry_run_counts_and_runs_nothing(posprobe, nope, tmp_path):
    status, out, _ = posprobe("adjacency", nope, "--prompts", 7, "--dry-run", "--json")
    facts = json.loads(out)
    assert (status, facts["documents"], facts["tokens"]) == (0, 7, 7 * 22)
    assert facts["memory_mib"] >= 0
    assert not (tmp_path / "reports").exists()


def test_dry_run_of_probes_counts_what_is_kept_of_each_reading(posprobe, nope):
    words = ["probe", nope, "--documents", 40, "--length", 30, "--dry-run", "--json"]
    facts = json.loads(posprobe(*words)[1])
    assert (facts["documents"], facts["longest"]) == (40, 30)
    networks = json.loads(posprobe(*words, "--probe", "mlp", "--mlp-tokens", 10**6)[1])
    # Three readings of 16 numbers of 4 bytes.
    more = networks["memory_mib"] - facts["memory_mib"]
    assert more == pytest.approx(3 * 16 * 4 * 10**6 / 2**20, abs=1)


def test_model_names_the_checkpoint_too(posprobe, nope):
    words = ["--prompts", 2, "--json"]
    by_model = json.loads(posprobe("adjacency", "--model", nope, *words)[1])
    assert by_model["result"] == json.loads(posprobe("adjacency", nope, *words)[1])["result"]


def test_inspect_and_checkpoints(posprobe, dstg, nope, tmp_path):
    status, out, _ = posprobe("inspect", dstg)
    assert status == 0
    for fact in ("dstg", "blocks.1.attn.hook_attn_scores_ap", "32 × 8", "sha256"):
        assert fact in out
    status, out, _ = posprobe("checkpoints", tmp_path)
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()[1:]] == ["dstg", "nope"]
    assert "nanogpt-nope-paper" in posprobe("checkpoints")[1]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["manifold", "no-such"], "no-such: no such file"),
        (["manifold", "NOPE", "--source", "table"], "--source states"),
        (["manifold", "DSTG", "--source", "table", "--site", "hook_embed"], "leave out --site"),
        (["manifold", "DSTG", "--site", "hook_resid_pots"], "hook_resid_post"),
        (["manifold", "DSTG", "--source", "states", "--corpus", "gone.txt"], "gone.txt"),
        (["manifold"], "CKPT"),
        (["heads", "NOPE"], "`heads` needs a DSTG or RP model"),
        (["heads", "DSTG", "--threshold", "0"], "--threshold 0"),
        (["heads", "DSTG", "--batch-size", "0"], "--batch-size 0: must be at least 1"),
        (["heads", "DSTG", "--seed", "-1"], "--seed -1: must be at least 0"),
        (["heads", "NOPE", "--dry-run"], "`heads` needs a DSTG or RP model"),
        (["heads", "DSTG", "--out", "DSTG/config.json"], "choose another folder"),
        (["manifold", "DSTG", "--positions", "0"], "--positions 0: must be at least 2"),
        (["manifold", "DSTG", "--device", "cuda:9"], "cpu"),
        (["manifold", "gone/ckpt.pt"], "no such file"),
        (["adjacency", "NOPE", "--site", "attn.hook_pattern"], "queries by keys"),
        (
            ["adjacency", "NOPE", "--init", "--init-std", "-1"],
            "--init-std -1.0: must be at least 0",
        ),
        (["heads", "BARE"], "--tokenizer"),
        (["decomposition"], "CKPT"),
        (["decomposition", "BARE"], "--tokenizer"),
        (["decomposition", "NOPE", "--start", "99"], "--start 99"),
        (["adjacency", "nanogpt-nope-paper"], "--init"),
        (["adjacency"], "--model"),
        (["adjacency", "nanogpt-nope-paper", "--init", "--init-mean", "4"], "--init-std"),
        (["adjacency", "NOPE", "--prompts", "0"], "--prompts 0: must be at least 1"),
        (["adjacency", "NOPE", "--task", "sorting"], "sorting"),
        (["adjacency", "DSTG", "--noncausal", "--corpus", "generated"], "--noncausal"),
        (["adjacency", "NOPE", "--device", "cuda:9"], "cpu"),
        (["adjacency", "NOPE", "--tokenizer", "gone.json"], "gone.json"),
        (["probe"], "CKPT"),
        (["probe", "NOPE", "--target", "place"], "--target place: not known"),
        (["probe", "NOPE", "--site", "hook_resid_pots"], "hook_resid_post"),
        (["probe", "NOPE", "--stream", "ap"], "--stream ap: no site"),
        (["probe", "NOPE", "--layers", "0,one"], "--layer 0,one: want whole numbers"),
        (["probe", "NOPE", "--target", "upos"], "needs a .conllu corpus"),
        (["probe", "NOPE", "--documents", "4"], "use more documents"),
        (["probe", "NOPE", "--dry-run", "--documents", "4"], "use more documents"),
        (["probe", "NOPE", "--corpus", "gone.txt"], "gone.txt"),
        (["probe", "BARE"], "random-tokens"),
        (["probe", "nanogpt-nope-paper", "--no-init"], "--init"),
        (["inspect", "NOPE", "--speed"], "--speed"),
        (["checkpoints", "gone"], "gone: no such folder"),
    ],
)
def test_bad_input_is_one_line_and_status_2(posprobe, dstg, nope, tmp_path, words, expected):
    save_encoder(tmp_path / "bare", vocabulary=False)
    places = {"DSTG": dstg, "NOPE": nope, "BARE": tmp_path / "bare"}
    status, out, err = posprobe(
        *(
            str(word).replace("DSTG/", f"{dstg}/") if "/" in word else places.get(word, word)
            for word in words
        )
    )
    assert status == 2
    assert out == ""
    assert err.startswith("posprobe: ")
    assert err.count("\n") == 1
    assert expected in err


def test_random_tokens_serve_a_model_without_a_vocabulary(posprobe, tmp_path):
    bare = save_encoder(tmp_path / "bare", vocabulary=False)
    status, out, _ = posprobe(
        "heads", bare, "--corpus", "random-tokens", "--documents", 3, "--json"
    )
    assert status == 0
    assert json.loads(out)["provenance"]["tokens"][0]["name"] == "random token ids"


def test_traceback_only_with_debug(posprobe, nope, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("broken\ninside")

    monkeypatch.setattr("posprobe.pipeline.adjacency.open_models", fail)
    status, _, err = posprobe("adjacency", nope)
    assert (status, err.count("\n")) == (1, 1)
    assert "RuntimeError: broken inside; --debug" in err
    monkeypatch.setattr(sys, "argv", ["posprobe", "adjacency", str(nope), "--debug"])
    with pytest.raises(RuntimeError, match="broken"):
        run_and_exit(app)


def test_interruption_is_said(posprobe, nope, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("posprobe.pipeline.adjacency.open_models", interrupt)
    status, _, err = posprobe("adjacency", nope)
    assert (status, err) == (130, "posprobe: interrupted\n")


def test_a_failed_run_leaves_the_old_report_alone(posprobe, dstg, tmp_path, monkeypatch):
    posprobe("manifold", dstg, "--draws", 2)
    before = {p: p.read_bytes() for p in (tmp_path / "reports").rglob("*") if p.is_file()}
    assert len(before) == 4

    def full(*_, **__):
        raise OSError("No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", full)
    status, _, err = posprobe("manifold", dstg, "--draws", 3)
    assert (status, err.count("\n")) == (2, 1)
    after = {p: p.read_bytes() for p in (tmp_path / "reports").rglob("*") if p.is_file()}
    assert after == before


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from posprobe.cli import app; from posprobe.exits import run_and_exit\n"
        "sys.argv = ['posprobe', '--help']\n"
        "try: run_and_exit(app)\n"
        "finally: print([m for m in ('torch', 'transformers', 'transformer_lens', 'numba',"
        " 'pandas', 'plotly', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "[]"


def test_training_writes_a_checkpoint_that_the_measures_open(posprobe):
    few = ["--set", "steps=3", "--set", "model.n_layers=1", "--set", "model.d_model=12"]
    few += ["--set", "data.train=50", "--set", "data.test=5", "--set", "batch_size=4"]
    status, out, err = posprobe("train", "nanogpt-nope-addition-small", "--out", "mine", *few)
    assert (status, out.strip()) == (0, "mine")
    assert "step 3/3: loss" in err
    assert posprobe("adjacency", "mine", "--task", "addition", "--prompts", 2)[0] == 0
    status, _, err = posprobe("train", "no-such", "--out", "mine")
    assert (status, err.count("\n")) == (2, 1)
    assert "dstg-tiny" in err
