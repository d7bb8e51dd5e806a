"""From checkpoints and data sets to a report, stopped on the way and gone on with."""

import json
import math
import os
import signal
import subprocess
import sys
import time

import pytest
import torch

import posprobe
from posprobe.core.errors import UserError
from posprobe.data.holmes.folder import read_dataset
from posprobe.loaders import load
from posprobe.pipeline import holmes as pipeline
from posprobe.pipeline.phenomena.dataset import tokens_of
from posprobe.pipeline.phenomena.options import HolmesOptions
from posprobe.pipeline.phenomena.places import places_of
from posprobe.pipeline.phenomena.plan import plan_holmes
from posprobe.pipeline.phenomena.states import sample_vectors
from tests.checkpoints import save_decoder, save_encoder
from tests.phenomena import write_dataset, write_datasets


@pytest.fixture
def data(tmp_path):
    return write_datasets(tmp_path / "data")


@pytest.fixture
def dstg(tmp_path):
    return str(save_encoder(tmp_path / "dstg"))


@pytest.fixture
def nope(tmp_path):
    return str(save_decoder(tmp_path / "nope"))


def by_dataset(report, **wanted):
    return {
        score.dataset: score
        for score in report.result.scores
        if all(getattr(score, name) == value for name, value in wanted.items())
    }


def test_two_checkpoints_on_three_data_sets(data, dstg, nope):
    report = posprobe.holmes(dstg, nope, data=str(data), seeds=2)
    texts = len(read_dataset(data / "pos").texts)
    found = by_dataset(report, checkpoint="dstg")
    assert set(found) == {"blimp-wh_island", "pos", "mine"}
    assert all(score.n_train == score.n_dev == score.n_test == 30 for score in found.values())
    assert found["mine"].metric == "pearson"
    assert (found["mine"].field, found["mine"].phenomenon) == ("other", "mine")
    assert found["pos"].phenomenon == "part-of-speech"
    assert found["pos"].site == "ln_final.hook_normalized"
    (comparison,) = report.result.comparisons
    assert comparison.phenomena == 3
    assert "2 of the 66 phenomena" in report.result.notes[0]
    assert "mine" in report.result.notes[1]
    assert json.loads(report.json())["provenance"]["tokens"][0]["documents"] == 3 * texts
    assert report.html()


def test_vectors_are_means_over_the_tokens_of_each_span(data, dstg):
    """Against one text at a time, without padding."""
    chosen = HolmesOptions(data=str(data), batch_size=7)
    model = load(dstg)
    site = places_of(model, chosen)["last layer"]
    for name in ("blimp-wh_island", "pos", "mine"):
        dataset = read_dataset(data / name)
        tokens = tokens_of(model, dataset, chosen)
        found = sample_vectors(model, tokens, [site], chosen)[site]
        for sample in (0, 31, 89):
            parts = []
            for (span,) in dataset.samples[sample]:
                ids = torch.tensor([model.tokenizer.encode(dataset.texts[span.text])])
                state = model.run(ids, sites=[site])[site][0].double()
                parts.append((state if span.start < 0 else state[span.start : span.end]).mean(0))
            torch.testing.assert_close(
                found[sample].double(), torch.cat(parts), atol=1e-5, rtol=1e-4
            )


def test_several_spans_of_one_input_weigh_the_same(tmp_path, nope):
    inputs = [("ab", 0, 0, 2, 0), ("e", 0, 4, 5, 0), ("d", 0, 3, 4, 1)]
    write_dataset(tmp_path / "data" / "x", [(inputs, ["abcdef"], i % 2) for i in range(6)])
    dataset = read_dataset(tmp_path / "data" / "x")
    chosen = HolmesOptions(data=str(tmp_path / "data"))
    model = load(nope)
    site = "blocks.1.hook_resid_post"
    found = sample_vectors(model, tokens_of(model, dataset, chosen), [site], chosen)[site]
    state = model.run(torch.tensor([model.tokenizer.encode("abcdef")]), sites=[site])[site][0]
    first = (state[:2].mean(0) + state[4]) / 2
    torch.testing.assert_close(found[0], torch.cat([first, state[3]]), atol=1e-6, rtol=1e-5)


def test_sites_and_streams(data, dstg, nope):
    only = {"data": str(data), "only": ("pos",), "seeds": 1}
    report = posprobe.holmes(dstg, site=("hook_resid_post",), stream="ap", **only)
    sites = [score.site for score in report.result.scores]
    assert sites == ["blocks.0.hook_resid_post_ap", "blocks.1.hook_resid_post_ap"]
    report = posprobe.holmes(dstg, stream="sem", init=True, **only)
    assert {(s.place, s.site) for s in report.result.scores} == {
        ("last layer, sem", "ln_final.hook_normalized_sem")
    }
    assert [s.condition for s in report.result.scores] == ["checkpoint", "random init"]
    with pytest.raises(UserError, match=r"--stream ap: .* has no such stream"):
        posprobe.holmes(nope, stream="ap", **only)
    with pytest.raises(UserError, match="blocks"):
        posprobe.holmes(nope, site=("hook_resid",), **only)


def test_words_beyond_the_context_are_left_out_and_counted(tmp_path, nope):
    rows = [
        ([("ab", 0, 0, 2)] if i < 30 else [("yz", 0, 70, 72)], ["ab" * 40], "XY"[i // 3 % 2])
        for i in range(60)
    ]
    write_dataset(tmp_path / "data" / "far", rows)
    (score,) = posprobe.holmes(nope, data=str(tmp_path / "data"), seeds=1).result.scores
    assert (score.left_out, score.n_train, score.truncated) == (30, 10, 30)


def test_a_constant_data_set_is_undefined_with_a_reason(tmp_path, nope):
    write_dataset(tmp_path / "data" / "same", [([f"x{i}"], None, 1) for i in range(30)])
    report = posprobe.holmes(nope, data=str(tmp_path / "data"), seeds=2)
    (score,) = report.result.scores
    assert math.isnan(score.score)
    assert score.undefined == "all training samples have the same label"
    (phenomenon,) = report.result.phenomena
    assert phenomenon.undefined == score.undefined
    assert json.loads(report.json())["result"]["scores"][0]["score"] is None


def test_finished_data_sets_are_not_measured_again(data, nope, tmp_path, monkeypatch):
    cache = tmp_path / "cache"
    options = {"data": str(data), "seeds": 2, "mdl": True, "cache": str(cache)}
    first = posprobe.holmes(nope, **options)
    assert len(list(cache.iterdir())) == 3
    whole = first.json()

    def refuse(*_):
        raise AssertionError("measured again")

    monkeypatch.setattr(pipeline, "measure_dataset", refuse)
    assert posprobe.holmes(nope, **options).json() == whole
    # Another place for the data, or another name for them, is no reason either.
    (tmp_path / "moved").mkdir()
    data.rename(tmp_path / "moved" / "data")
    again = posprobe.holmes(nope, **options | {"data": str(tmp_path / "moved" / "data")})
    assert json.loads(again.json())["result"] == json.loads(whole)["result"]
    for other in ({"seeds": 3}, {"special": False}, {"mdl": False}, {"exact": True}):
        with pytest.raises(AssertionError, match="measured again"):
            posprobe.holmes(nope, **options | {"data": str(tmp_path / "moved" / "data")} | other)


def test_changed_data_changed_weights_and_damaged_records_are_measured(data, nope, tmp_path):
    options = {"data": str(data), "only": ("pos",), "seeds": 1, "cache": str(tmp_path / "cache")}
    first = posprobe.holmes(nope, **options)
    (record,) = (tmp_path / "cache").iterdir()
    record.write_text(record.read_text()[:100])
    assert posprobe.holmes(nope, **options).json() == first.json()
    assert json.loads(record.read_text())["value"]["scores"]
    with (data / "pos" / "samples.csv").open("a") as stream:
        stream.write("99,\"[('ab', 0, 0, 2)]\",['ab'],X,train\n")
    (score,) = posprobe.holmes(nope, **options).result.scores
    assert score.n_train == 31
    other = save_decoder(tmp_path / "other", d_model=24)
    posprobe.holmes(str(other), **options)
    assert len(list((tmp_path / "cache").iterdir())) == 3


SCRIPT = """
import sys, time
import posprobe
from posprobe.pipeline import holmes as pipeline
real = pipeline.measure_dataset
def slow(subject, dataset, *rest):
    with open(sys.argv[4], "a") as log:
        log.write(dataset.name + "\\n")
    record = real(subject, dataset, *rest)
    if len(sys.argv) > 5 and dataset.name == "mine":
        time.sleep(600)
    return record
pipeline.measure_dataset = slow
report = posprobe.holmes(sys.argv[1], data=sys.argv[2], seeds=2, cache=sys.argv[3])
print(report.result.to_json())
"""


@pytest.mark.slow
def test_a_killed_run_repeats_no_finished_data_set(data, nope, tmp_path):
    cache, log = tmp_path / "cache", tmp_path / "log"
    words = [sys.executable, "-c", SCRIPT, nope, str(data), str(cache), str(log)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    with subprocess.Popen([*words, "hang"], env=environment) as process:
        while not (log.exists() and "mine" in log.read_text()):
            assert process.poll() is None
            time.sleep(0.1)
        process.send_signal(signal.SIGKILL)
    assert log.read_text().split() == ["blimp-wh_island", "mine"]
    assert [path.name.rpartition("-")[0] for path in cache.iterdir()] == ["blimp-wh_island"]
    run = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    assert log.read_text().split() == ["blimp-wh_island", "mine", "mine", "pos"]
    whole = posprobe.holmes(nope, data=str(data), seeds=2).result.to_json()
    assert json.loads(run.stdout) == json.loads(whole)


def test_a_bad_row_stops_the_run_before_any_model(data, nope, monkeypatch):
    with (data / "pos" / "samples.csv").open("a") as stream:
        stream.write("90,nonsense,,X,train\n")

    def refuse(*_, **__):
        raise AssertionError("a model was opened")

    monkeypatch.setattr(pipeline, "load", refuse)
    with pytest.raises(UserError, match=r"pos/samples\.csv: row 91: inputs is no list"):
        posprobe.holmes(nope, data=str(data))


def test_the_plan_counts_and_knows_what_is_finished(data, nope, tmp_path):
    options = {"data": str(data), "cache": str(tmp_path / "cache"), "seeds": 1}
    facts = plan_holmes(nope, HolmesOptions(**options))
    assert facts["finished"].startswith("0 of 3")
    assert facts["samples"] == 270
    assert facts["documents"] == 3 * len(read_dataset(data / "pos").texts)
    posprobe.holmes(nope, **options | {"only": ("pos",)})
    assert plan_holmes(nope, HolmesOptions(**options))["finished"].startswith("1 of 3")
    assert plan_holmes(nope, HolmesOptions(**options | {"cache": None}))["finished"].startswith("0")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "by --data"),
        ({"data": "nowhere"}, "--data nowhere: no such folder"),
        ({"data": "DATA", "seeds": 0}, "--seeds 0"),
        ({"data": "DATA", "scale": True, "exact": True}, "--scale: not with --exact"),
        ({"data": "DATA", "map": "nowhere.csv"}, r"--map nowhere\.csv"),
        ({"data": "DATA", "only": ("x",)}, "--only x"),
    ],
)
def test_mistakes_are_named(data, nope, options, message):
    options = {k: str(data) if v == "DATA" else v for k, v in options.items()}
    with pytest.raises(UserError, match=message):
        posprobe.holmes(nope, **options)


def test_a_map_of_ones_own(data, nope, tmp_path):
    path = tmp_path / "map.csv"
    path.write_text("dataset,field,phenomenon\nmine,semantics,mood\n")
    report = posprobe.holmes(nope, data=str(data), only=("mine",), seeds=1, map=str(path))
    (score,) = report.result.scores
    assert (score.field, score.phenomenon) == ("semantics", "mood")


def test_a_model_without_a_vocabulary_is_refused(data, tmp_path):
    nope = save_decoder(tmp_path / "bare", vocabulary=False)
    with pytest.raises(UserError, match="has no vocabulary"):
        posprobe.holmes(str(nope), data=str(data))


def test_minimal_pairs_and_treebanks_become_data_sets(tmp_path):
    lines = [{"sentence_good": f"Good {i}.", "sentence_bad": f"Bad {i}."} for i in range(40)]
    source = tmp_path / "wh_island.jsonl"
    source.write_text("\n".join(map(json.dumps, lines)))
    word = "\t".join(["1", "Yes", "yes", "{}", "_", "_", "0", "root", "_", "_"])
    documents = [
        f"# newdoc id = {d}\n# text = Yes\n{word.format('NOUN' if d % 2 else 'VERB')}\n\n"
        for d in range(60)
    ]
    treebank = tmp_path / "x.conllu"
    treebank.write_text("".join(documents))
    made = posprobe.holmes_data(source, treebank, out=tmp_path / "out")
    assert [path.name for path in made] == ["blimp-wh_island", "treebank-pos"]
    assert [len(read_dataset(path)) for path in made] == [80, 60]
    for bad, message in [
        ((), "name BLiMP"),
        ((tmp_path / "none",), "no such file"),
        ((tmp_path / "out" / "treebank-pos" / "samples.csv",), "neither BLiMP"),
    ]:
        with pytest.raises(UserError, match=message):
            posprobe.holmes_data(*bad, out=tmp_path / "out")
    with pytest.raises(UserError, match="--samples 3"):
        posprobe.holmes_data(source, out=tmp_path / "out", samples=3)
