"""Cells are measured once, whatever runs them and whatever befalls it."""

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import posprobe
from posprobe.analysis.adjacency import AdjacencyResult
from posprobe.core.errors import UserError
from posprobe.pipeline.sweep import plan_sweep, sweep
from posprobe.pipeline.sweeping import local as sweep_local
from posprobe.pipeline.sweeping.job import Job, Outcome, run_job
from posprobe.pipeline.sweeping.spec import Cell
from tests.pipeline.disturbed import COMMAND, WORKERS, running, wait_for

GRID = """
title = "Seeds"
checkpoints = ["{nope}"]
seed = [0, 1, 2]
[adjacency]
prompts = 4
task = ["reversal", "addition"]
"""


@pytest.fixture
def cache(monkeypatch, tmp_path) -> Path:
    monkeypatch.setenv("POSPROBE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def grid(tmp_path, nope, cache) -> str:
    path = tmp_path / "grid.toml"
    path.write_text(GRID.format(nope=nope))
    return str(path)


def test_a_finished_cell_is_never_run_again(grid, cache, monkeypatch):
    first = sweep(grid, jobs=1)
    assert len(list(cache.iterdir())) == 6
    with monkeypatch.context() as patch:
        patch.setattr(sweep_local, "run_job", None)  # nothing can be run
        again = sweep(grid, jobs=1)
        assert again.json() == first.json()
        pd.testing.assert_frame_equal(again.numbers, first.numbers)
        gone = next(cache.iterdir())
        gone.unlink()
        assert plan_sweep(grid)["finished"] == 5
        with pytest.raises(TypeError):
            sweep(grid, jobs=1)
    ran = []
    monkeypatch.setattr(sweep_local, "run_job", lambda job: ran.append(job) or run_job(job))
    assert sweep(grid, jobs=1).json() == first.json()
    assert len(ran) == 1
    sweep(grid, jobs=1, no_cache=True)
    assert len(ran) == 7


def test_a_cell_is_what_the_measure_finds_by_itself(grid, nope):
    found = sweep(grid, jobs=1)
    alone = posprobe.adjacency(str(nope), seed=1, task="addition", prompts=4).result
    assert isinstance(alone, AdjacencyResult)
    cell = next(
        c for c in found.report.result.cells if c.at["seed"] == 1 and c.at["task"][0] == "a"
    )
    scores = [s for s in alone.scores if s.feature == "cosine"]
    assert [point.value for point in cell.points] == [score.rows_mean for score in scores]
    rows = found.numbers.query("seed == 1 and task == 'addition'")
    assert rows["value"].tolist() == alone.to_frame()["value"].tolist()


def test_the_table_has_a_row_per_number_and_a_column_per_axis(grid, tmp_path, nope):
    found = sweep(grid, jobs=1)
    paths = found.save(tmp_path / "out")
    assert [path.name for path in paths] == [
        f"sweep.{e}" for e in ("html", "json", "csv", "parquet")
    ]
    table = pd.read_parquet(paths[-1])
    assert list(table.columns[:4]) == ["measure", "checkpoint", "seed", "task"]
    assert set(table["checkpoint"]) == {str(nope)}
    assert (table.groupby(["seed", "task"]).size().groupby("task").nunique() == 1).all()
    assert len(table.groupby(["seed", "task"])) == 6
    assert table["result_task"].str.contains("prompts").all()
    assert table["failed"].isna().all()
    page = paths[0].read_text()
    assert "task addition" in page


@pytest.mark.slow
def test_two_processes_and_a_dask_cluster_find_the_same(grid, monkeypatch, tmp_path):
    pytest.importorskip("distributed")
    alone = sweep(grid, jobs=1)
    for name, how in {"joblib": {}, "dask": {"scheduler": "local"}}.items():
        monkeypatch.setenv("POSPROBE_CACHE", str(tmp_path / name))
        found = sweep(grid, jobs=2, **how)
        assert len(list((tmp_path / name).iterdir())) == 6, "the workers' own work"
        assert found.json() == alone.json()
        pd.testing.assert_frame_equal(found.numbers, alone.numbers)


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", WORKERS)
def test_a_worker_that_is_killed_loses_nothing(grid, tmp_path, cache, scheduler):
    if scheduler:
        pytest.importorskip("distributed")
    slow = Path(grid).read_text().replace("prompts = 4", "prompts = 100\nbatch_size = 1")
    Path(grid).write_text(slow)
    words = [*COMMAND, "sweep", grid, "--jobs", "2", "--json"]
    words += ["--scheduler", scheduler] if scheduler else []
    with running(words, cwd=tmp_path) as run:
        wait_for(run.process, cache, "*.json")
        run.kill_a_worker(scheduler)
        out, said = run.end()
    assert "6 of 6: " in said
    assert ("a worker was killed; going on with the" in said) == (scheduler is None)
    assert len(list(cache.iterdir())) == 6
    alone = json.loads(sweep(grid, jobs=1, no_cache=True).json())
    assert json.loads(out)["result"] == alone["result"]


SBATCH = """#!/bin/sh
[ "$1" = --test-only ] && exit 0
[ -e "$JOBS.busy" ] && { rm "$JOBS.busy"; echo "sbatch: error: too busy" >&2; exit 1; }
# As Slurm does: copies the script, runs it elsewhere, and says at once what the job is called.
cp "$1" "$JOBS.$$"
setsid sh "$JOBS.$$" >/dev/null 2>&1 &
echo $! >> "$JOBS"
echo "Submitted batch job $!"
"""
SCANCEL = """#!/bin/sh
kill -- -"$1"
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("setsid") is None, reason="needs setsid, of util-linux")
def test_slurm_is_asked_again_for_jobs_that_it_ended(grid, tmp_path, cache):
    pytest.importorskip("dask_jobqueue")
    for name, script in {"sbatch": SBATCH, "scancel": SCANCEL}.items():
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    jobs = tmp_path / "jobs"
    own = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "JOBS": str(jobs),
        "DASK_JOBQUEUE__SLURM__MEMORY": "2GB",
        "DASK_DISTRIBUTED__DEPLOY__LOST_WORKER_TIMEOUT": "1s",
    }
    slow = Path(grid).read_text().replace("prompts = 4", "prompts = 40\nbatch_size = 1")
    Path(grid).write_text(slow)
    quick = COMMAND[2].replace(
        "; main()", "; from posprobe.pipeline.sweeping import slurm; slurm._SECONDS = 0.5; main()"
    )
    words = [sys.executable, "-c", quick, "sweep", grid, "--jobs", "2", "--json"]
    words += ["--scheduler", "slurm"]
    with running(words, cwd=tmp_path, **own) as run:
        wait_for(run.process, cache, "*.json")
        first = jobs.read_text().split()
        assert len(first) == 2
        Path(f"{jobs}.busy").touch()
        for job in first:
            os.killpg(int(job), signal.SIGKILL)
        out, said = run.end()
    assert "waiting for Slurm to start 2 workers" in said
    assert "Slurm took no job: sbatch: error: too busy" in said
    assert len(jobs.read_text().split()) >= 4
    alone = json.loads(sweep(grid, jobs=1, no_cache=True).json())
    assert json.loads(out)["result"] == alone["result"]


def test_what_kills_its_worker_each_time_is_told(monkeypatch):
    class Pool:
        def __init__(self, **_):
            pass

        def __call__(self, tasks):
            indices = [arguments[0] for _, arguments, _ in tasks]
            for index in indices:
                if index == 1:
                    raise sweep_local.TerminatedWorkerError
                yield index, Outcome(failed="as if run")

    monkeypatch.setattr(sweep_local, "Parallel", Pool)
    job = Job.of(Cell(measure="heads", ref="x", options={}, at={}), threads=1, no_cache=False)
    found = dict(sweep_local.run_local([job] * 5, workers=2))
    assert sorted(found) == [0, 1, 2, 3, 4]
    assert "killed" in found.pop(1).failed
    assert {outcome.failed for outcome in found.values()} == {"as if run"}


def test_a_cell_that_fails_is_a_row_and_the_others_go_on(tmp_path, nope, posprobe, cache):
    path = tmp_path / "grid.toml"
    path.write_text(
        f'checkpoints = ["{nope}"]\n[adjacency]\nprompts = 4\n'
        'site = ["attn.hook_z", "attn.hook_zz", "hook_embed"]\n'
    )
    status, out, err = posprobe("sweep", path, "--jobs", 1)
    assert status == 2
    assert err.splitlines()[-1].startswith("posprobe: sweep: 1 cells failed; the first: ")
    assert "attn.hook_zz" in err.splitlines()[-1]
    table = pd.read_parquet("reports/sweep-grid/sweep.parquet")
    assert table["failed"].notna().sum() == 1
    assert set(table["site"]) >= {"attn.hook_zz", "attn.hook_z", "hook_embed"}
    assert "Cells that failed" in Path("reports/sweep-grid/sweep.html").read_text()
    assert len(list(cache.iterdir())) == 2
    status, out, err = posprobe("sweep", path, "--jobs", 1, "--json")
    assert status == 2
    cells = json.loads(out)["result"]["cells"]
    assert [cell["failed"] is None for cell in cells] == [True, False, True]


def test_a_fault_of_ours_fails_its_cell_alone(monkeypatch, nope):
    cell = Cell(measure="adjacency", ref=str(nope), options={"prompts": 4}, at={})
    monkeypatch.setattr("posprobe.pipeline.adjacency._result", lambda *_: 1 / 0)
    outcome = run_job(Job.of(cell, threads=1, no_cache=False))
    assert outcome.failed == "unexpected ZeroDivisionError: division by zero"


def test_a_worker_finds_what_is_found_here(monkeypatch, nope, tmp_path):
    monkeypatch.chdir(nope.parent)
    monkeypatch.setenv("POSPROBE_CACHE", str(tmp_path / "kept"))
    cell = Cell(measure="adjacency", ref=nope.name, options={"prompts": 4}, at={})
    job = replace(Job.of(cell, threads=1, no_cache=False))
    monkeypatch.chdir("/")
    monkeypatch.setenv("POSPROBE_CACHE", "")
    assert run_job(job).failed is None
    assert len(list((tmp_path / "kept").iterdir())) == 1
    assert Path.cwd() == Path("/")


@pytest.mark.slow
def test_an_interrupt_keeps_what_was_finished(grid, cache):
    words = [*COMMAND, "sweep", grid, "--jobs", "1"]
    with subprocess.Popen(words, cwd=cache.parent, stderr=subprocess.PIPE, text=True) as process:
        wait_for(process, cache, "*.json")
        process.send_signal(signal.SIGINT)
        err = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert err.splitlines()[-1] == "posprobe: interrupted"
    assert plan_sweep(grid)["finished"] >= 1


def test_a_dry_run_counts_and_runs_nothing(grid, cache, posprobe):
    status, out, err = posprobe("sweep", grid, "--dry-run", "--json")
    assert (status, err) == (0, "")
    facts = json.loads(out)
    assert (facts["cells"], facts["finished"], facts["report"]) == (6, 0, "sweep-grid")
    assert not cache.exists()


def test_dask_is_asked_for_in_one_line_where_it_is_missing(grid, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        UserError, match=r"distributed is not installed; pip install 'posprobe\[clu"
    ):
        sweep(grid, scheduler="local")


def test_a_scheduler_that_is_none_is_told(grid):
    pytest.importorskip("distributed")
    with pytest.raises(UserError, match="--scheduler somewhere: want local, slurm or an address"):
        sweep(grid, scheduler="somewhere")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_slurm_without_a_description_of_its_jobs_is_told(grid):
    pytest.importorskip("dask_jobqueue")
    undescribed = pytest.importorskip("dask").config.set({"jobqueue.slurm.memory": None})
    told = r"--scheduler slurm: describe a job in ~/\.config/dask"
    with undescribed, pytest.raises(UserError, match=told):
        sweep(grid, scheduler="slurm")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("#!/bin/sh\necho 'sbatch: error: invalid account' >&2; exit 1\n", "invalid account"),
        (None, "sbatch cannot be run"),
    ],
)
def test_a_job_that_slurm_would_refuse_is_told_before_it_is_waited_for(
    grid, tmp_path, monkeypatch, script, says
):
    pytest.importorskip("dask_jobqueue")
    described = pytest.importorskip("dask").config.set({"jobqueue.slurm.memory": "2GB"})
    (tmp_path / "bin").mkdir()
    if script:
        (tmp_path / "bin" / "sbatch").write_text(script)
        (tmp_path / "bin" / "sbatch").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with described, pytest.raises(UserError, match=f"--scheduler slurm: .*{says}"):
        sweep(grid, scheduler="slurm")


def test_jobs_below_one_are_refused(grid):
    with pytest.raises(UserError, match="--jobs 0: must be at least 1"):
        sweep(grid, jobs=0)
