import json
import os
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from posprobe.core.errors import UserError
from posprobe.loaders import load, read_position_table
from posprobe.training.run_folder import RunFolder
from posprobe.training.stopping import TrainingStopped
from posprobe.training.train import train
from tests.training.tiny import TASK, TEXT, losses


class Killed(BaseException):
    pass


def killed_at(step):
    def progress(now):
        if now.step == step:
            raise Killed

    return progress


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A training that nothing disturbed."""
    return RunFolder(train(TEXT, tmp_path_factory.mktemp("whole") / "out"))


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def test_the_result_loads_and_says_how_it_was_made(whole):
    model = load(whole.path)
    assert model.cfg.special_ids == (0, 1, 2, 3)
    assert model.tokenizer.encode("a word")[0] == 1
    record = json.loads((whole.path / "provenance.json").read_text())
    assert record["recipe"] == "tiny"
    assert record["config"] == TEXT.to_dict()
    assert (record["seed"], record["steps"], record["longest_document"]) == (0, 9, 24)
    assert record["tokens_seen"] == 9 * 4 * 24
    assert record["data"]["name"] == "corpus.txt"
    assert len(record["data"]["sha256"]) == 64
    assert record["command"] == f"posprobe train tiny --out {whole.path}"
    assert record["curve"] == [[step, loss] for step, loss in losses(whole).items()]
    assert record["evaluations"][-1] == [9, record["evaluation"]]
    assert record["evaluation"]["loss"] < 6
    assert {"torch", "python"} <= record["versions"].keys()
    assert record["seconds"] > 0
    assert read_position_table(whole.path)[0].trained == 24


def test_nothing_is_left_behind(whole):
    names = {file.name for file in whole.path.iterdir()}
    expected = {"config.json", "model.safetensors", "tokenizer.json", "provenance.json"}
    assert names == expected | {"log.jsonl"}


def test_the_log_has_a_line_a_step_and_the_evaluations(whole):
    lines = whole.read_log()
    assert [line["step"] for line in lines if "loss" in line] == list(range(1, 10))
    assert [line["step"] for line in lines if "eval" in line] == [4, 8, 9]
    assert all({"lr", "gradient_norm", "tokens_per_second"} <= x.keys() for x in lines[:4])


@pytest.mark.parametrize("step", [3, 6, 9])
def test_a_killed_training_goes_on_to_the_same_losses_and_weights(whole, out, step):
    with pytest.raises(Killed):
        train(TEXT, out, progress=killed_at(step))
    assert not (out / "config.json").exists()
    again = RunFolder(train(TEXT, out))
    assert losses(again) == losses(whole)
    assert [line["step"] for line in again.read_log()] == [*range(1, 5), 4, *range(5, 9), 8, 9, 9]
    records = [json.loads((path / "provenance.json").read_text()) for path in (out, whole.path)]
    for key in ("tokens_seen", "evaluation", "curve"):
        assert records[0][key] == records[1][key]
    ours, theirs = load(out).state_dict(), load(whole.path).state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)


def test_losses_summed_over_several_steps_survive_a_kill_between_two_lines(tmp_path):
    config = replace(TEXT, log_every=3)
    undisturbed = RunFolder(train(config, tmp_path / "a"))
    with pytest.raises(Killed):
        train(config, tmp_path / "b", progress=killed_at(6))
    assert losses(RunFolder(train(config, tmp_path / "b"))) == losses(undisturbed)


KILL = """
import os, signal, sys
from posprobe.training.train import train
from tests.training.tiny import TEXT
train(TEXT, sys.argv[1], progress=lambda p: p.step == 6 and os.kill(os.getpid(), signal.SIGKILL))
"""


def test_kill_9(whole, out, root):
    done = subprocess.run([sys.executable, "-c", KILL, str(out)], cwd=root, check=False)
    assert done.returncode == -signal.SIGKILL
    assert losses(RunFolder(train(TEXT, out))) == losses(whole)


def test_sigterm_saves_and_stops_and_the_old_handler_is_back(whole, out):
    before = signal.getsignal(signal.SIGTERM)

    def ask(now):
        if now.step == 5:
            os.kill(os.getpid(), signal.SIGTERM)

    with pytest.raises(TrainingStopped, match="stopped at step 6 of 9"):
        train(TEXT, out, progress=ask)
    assert signal.getsignal(signal.SIGTERM) is before
    assert RunFolder(out).read_state()["step"] == 6
    assert losses(RunFolder(train(TEXT, out))) == losses(whole)


def test_a_loss_that_is_no_number_is_one_line_and_leaves_the_state_before(out, monkeypatch):
    passes = []

    def spoil(*given, **options):
        passes.append(1)
        return cross_entropy(*given, **options) * (float("nan") if len(passes) == 6 else 1)

    monkeypatch.setattr("posprobe.training.learner.cross_entropy", spoil)
    with pytest.raises(UserError) as caught:
        train(TEXT, out)
    assert "not a number at step 6; lower lr=0.001" in str(caught.value)
    assert "\n" not in str(caught.value)
    state = RunFolder(out).read_state()
    assert state["step"] == 4
    assert all(torch.isfinite(tensor).all() for tensor in state["model"].values())


def test_weights_spoilt_by_a_gradient_are_not_saved_though_the_loss_is_fine(out, monkeypatch):
    passes = []

    def spoil(logits, *given, **options):
        passes.append(1)
        if len(passes) == TEXT.save_every:
            logits.register_hook(lambda gradient: gradient * float("inf"))
        return cross_entropy(logits, *given, **options)

    monkeypatch.setattr("posprobe.training.learner.cross_entropy", spoil)
    with pytest.raises(UserError, match="not a number at step 4"):
        train(TEXT, out)
    assert RunFolder(out).read_state() is None


@pytest.mark.parametrize(
    "writer", ["torch.save", "posprobe.loaders.native.save_file", "posprobe.core.files.os"]
)
def test_a_full_disk_is_one_line_and_leaves_the_state_before(whole, out, monkeypatch, writer):
    config = replace(TEXT, step_folders=(7,), step_weights="small")

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    def fill(now):
        if now.step == 6:
            monkeypatch.setattr(
                *((f"{writer}.close",) if writer.endswith(".os") else (writer,)), full
            )

    with pytest.raises(UserError, match="No space left on device") as caught:
        train(config, out, progress=fill)
    assert "\n" not in str(caught.value)
    monkeypatch.undo()
    assert RunFolder(out).read_state()["step"] == 4
    assert losses(RunFolder(train(config, out))) == losses(whole)
    assert not [file for file in out.iterdir() if file.name.startswith(".")]


def test_a_missing_corpus_is_one_line(out, tmp_path):
    with pytest.raises(UserError, match="no such file or folder"):
        train(TEXT, out, overrides=[f"data.source={tmp_path / 'none.txt'}"])


def test_a_finished_training_is_left_as_it_is(whole):
    before = (whole.path / "log.jsonl").stat().st_mtime_ns
    train(TEXT, whole.path, progress=killed_at(1))
    assert (whole.path / "log.jsonl").stat().st_mtime_ns == before
    with pytest.raises(UserError, match="finished checkpoint of another training"):
        train(TEXT, whole.path, overrides=["lr=1"])


def test_other_settings_do_not_go_on_from_a_state(out):
    with pytest.raises(Killed):
        train(TEXT, out, progress=killed_at(5))
    with pytest.raises(UserError, match=r"other settings \(data, lr\)"):
        train(TEXT, out, overrides=["lr=1", "data.held_out=2"])
    train(TEXT, out, overrides=["lr=2e-3"], resume=False)
    assert json.loads((out / "provenance.json").read_text())["overrides"] == ["lr=2e-3"]


def test_a_training_goes_on_though_its_corpus_is_gone(out, tmp_path):
    corpus = tmp_path / "corpus.txt"
    pairs = [f"data.source={corpus}"]
    corpus.write_text("\n===\n".join(" ".join(str(i * j) for j in range(40)) for i in range(80)))
    with pytest.raises(Killed):
        train(TEXT, out, overrides=pairs, progress=killed_at(5))
    corpus.unlink()
    assert len(losses(RunFolder(train(TEXT, out, overrides=pairs)))) == 9


def test_other_ids_do_not_go_on_from_a_state(out):
    with pytest.raises(Killed):
        train(TEXT, out, progress=killed_at(5))
    file = out / "state" / "corpus" / "train" / "ids.npy"
    np.save(file, np.load(file)[::-1])
    with pytest.raises(UserError, match="other data"):
        train(TEXT, out)


def test_steps_along_the_way_whole_and_small(tmp_path):
    for kind in ("all", "small"):
        config = replace(TEXT, steps=3, step_folders=(2,), step_weights=kind)
        out = train(config, tmp_path / kind)
        assert [p.name for p in sorted(out.glob("step-*"))] == ["step-000002"]
    whole, small = (tmp_path / kind / "step-000002" for kind in ("all", "small"))
    rows, again = (read_position_table(folder)[0] for folder in (whole, small))
    assert (rows.rows == again.rows).all()
    assert again.trained == 24
    assert load(whole).cfg.n_layers == 2
    assert (rows.rows != read_position_table(tmp_path / "all")[0].rows).any()
    sizes = [(folder / "model.safetensors").stat().st_size for folder in (whole, small)]
    assert sizes[1] < sizes[0] / 4
    assert json.loads((small / "provenance.json").read_text())["steps"] == 2


def test_a_task_stops_at_its_target(out):
    config = replace(TASK, steps=200, eval_every=20, lr=1e-2, target=0.1, model=TASK.model)
    train(config, out)
    record = json.loads((out / "provenance.json").read_text())
    assert 20 <= record["steps"] < 200
    assert record["evaluation"]["exact_match"] >= 0.1
    assert load(out).tokenizer.size == 96


def test_bf16_and_fan_in_run(out):
    config = replace(TEXT, steps=3, mixed_precision="bf16", init="fan-in")
    train(config, out)
    assert load(out).embed.weight.dtype is torch.float32


def test_accumulated_passes_equal_one_large_batch(whole, tmp_path):
    config = replace(TEXT, batch_size=2, accumulation=2)
    halves = losses(RunFolder(train(config, tmp_path / "out")))
    assert halves == pytest.approx(losses(whole), abs=1e-5)


def test_progress_tells_how_far_it_is(out):
    seen = []
    train(replace(TEXT, steps=4), out, progress=seen.append)
    assert [now.step for now in seen] == [1, 2, 3, 4]
    assert seen[0].seconds_left > 0 == seen[-1].seconds_left
    assert all(now.tokens_per_second > 0 for now in seen)
