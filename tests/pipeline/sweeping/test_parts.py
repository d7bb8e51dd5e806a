"""A corpus that is cut into parts gives the numbers of the whole, whoever sums the parts."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from posprobe.core.errors import UserError
from posprobe.pipeline import heads, summed
from posprobe.pipeline.sweep import plan_sweep, sweep
from posprobe.pipeline.sweeping import local as sweep_local
from posprobe.pipeline.sweeping.job import run_job
from tests.checkpoints import save_encoder
from tests.pipeline.disturbed import COMMAND, WORKERS, running, wait_for

TABLES = {
    "heads": "[heads]\n",
    "manifold": '[manifold]\nsource = "states"\ndraws = 3\n',
    "probe": '[probe]\ncorpus = "random-tokens"\n',
    "adjacency": '[adjacency]\ncorpus = "generated"\nlength = 12\nprompts = 24\ndraws = 50\n',
    "decomposition": "[decomposition]\nlength = 12\n",
}
ROUNDING = {"rtol": 1e-12, "atol": 0.0}
# R² is 1 less a quotient, a selectivity a difference of two, and unbiased shares have what is due
# to chance taken off: near 0 they have the rounding of numbers near 1.
OF_DIFFERENCES = {"rtol": 1e-12, "atol": 1e-13}
# Guesses of what cannot be read hardly vary, and Pearson's r divides by how much they do.
OF_PEARSON = {"rtol": 1e-12, "atol": 1e-11}


@pytest.fixture
def cache(monkeypatch, tmp_path) -> Path:
    monkeypatch.setenv("POSPROBE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def spec(tmp_path, dstg, cache):
    def write(tables, *, parts=1, documents=24, batch_size=3):
        path = tmp_path / "grid.toml"
        shared = {"checkpoints": f'["{dstg}"]', "batch_size": batch_size}
        if parts != 1:
            shared["parts"] = parts
        if tables != TABLES["adjacency"]:  # which reads prompts
            shared["documents"] = documents
        lines = [f"{name} = {value}\n" for name, value in shared.items()]
        path.write_text("".join(lines) + tables)
        return str(path)

    return write


def assert_alike(parts, whole):
    """Every number is the same but for its rounding, and everything else to the letter."""
    words = [name for name in whole if name != "value"]
    assert parts[words].equals(whole[words])
    assert whole["failed"].isna().all()
    assert whole["value"].notna().sum() > 20
    metric = whole.get("metric", pd.Series("", index=whole.index)).fillna("")
    plain = (metric == "") & (whole["measure"] != "decomposition")
    for which, bound in (
        (plain, ROUNDING),
        (metric == "pearson", OF_PEARSON),
        (~plain & (metric != "pearson"), OF_DIFFERENCES),
    ):
        found, expected = (table.loc[which, "value"].astype(float) for table in (parts, whole))
        np.testing.assert_allclose(found, expected, **bound)


@pytest.mark.parametrize("measure", TABLES)
def test_three_parts_give_the_numbers_of_the_whole(spec, cache, measure):
    whole = sweep(spec(TABLES[measure]), jobs=1).numbers
    parts = sweep(spec(TABLES[measure], parts=3), jobs=1).numbers
    assert len(list(cache.iterdir())) == 2, "each is kept by itself, and no part is left"
    assert_alike(parts, whole)


def test_classes_are_probed_in_parts_as_well(tmp_path, spec):
    ref = save_encoder(tmp_path / "longer", n_ctx=96)
    table = f'[probe]\ncheckpoints = ["{ref}"]\ntarget = "boundary"\ninit = false\n'
    whole = sweep(spec(table, documents=12), jobs=1).numbers
    assert whole.query("metric == 'macro_f1' and quantity == 'value'")["value"].max() > 0.4
    assert_alike(sweep(spec(table, documents=12, parts=3), jobs=1).numbers, whole)


@pytest.mark.parametrize("measure", TABLES)
def test_more_parts_than_batches_leave_some_empty(spec, measure):
    table = TABLES[measure]
    whole = sweep(spec(table, batch_size=100), jobs=1).numbers["value"].astype(float)
    parts = sweep(spec(table, batch_size=100, parts=3), jobs=1).numbers["value"].astype(float)
    np.testing.assert_array_equal(parts, whole)  # one batch, so nothing is added to anything


def test_one_part_is_what_there_was_before_parts(spec):
    sweep(spec(TABLES["heads"]), jobs=1)
    facts = plan_sweep(spec(TABLES["heads"] + "parts = 1\n"))
    assert facts["finished"] == 1
    assert "parts to sum" not in facts


def test_a_dry_run_counts_the_parts_of_every_stage(spec, cache, posprobe):
    path = spec(TABLES["heads"] + TABLES["probe"], parts=4)
    status, out, _ = posprobe("sweep", path, "--dry-run", "--json")
    facts = json.loads(out)
    assert (status, facts["cells"], facts["parts to sum"]) == (0, 2, 4 + 2 * 4)
    assert not cache.exists()
    sweep(path, jobs=1)
    assert "parts to sum" not in plan_sweep(path)


@pytest.fixture
def kept(monkeypatch):
    """List the parts that are summed."""
    names, save = [], summed._save

    def note(sums, place, file):
        save(sums, place, file)
        names.append(file)

    monkeypatch.setattr(summed, "_save", note)
    return names


def test_parts_that_are_there_are_not_summed_again(spec, cache, kept, monkeypatch):
    path = spec(TABLES["probe"], parts=3)
    with monkeypatch.context() as patch:
        run = iter([run_job] * 4)  # and then the machine goes down
        patch.setattr(sweep_local, "run_job", lambda job: next(run)(job))
        with pytest.raises(RuntimeError, match="StopIteration"):
            sweep(path, jobs=1)
    conditions = ("checkpoint", "random-init")
    first = [f"learning-{c}-{n}-of-3" for n in (1, 2, 3) for c in conditions]
    assert kept == [*first, *(f"examination-{c}-1-of-3" for c in conditions)]
    assert len(list(cache.glob("probe-*.npz"))) == 8
    broken = next(cache.glob("*.learning-checkpoint-2-of-3.npz"))
    broken.write_bytes(broken.read_bytes()[:-100])
    kept.clear()
    found = sweep(path, jobs=1)
    rest = [f"examination-{c}-{n}-of-3" for n in (2, 3) for c in conditions]
    assert kept == ["learning-checkpoint-2-of-3", *rest]
    assert [file.suffix for file in cache.iterdir()] == [".json"]
    kept.clear()
    again = sweep(path, jobs=1, no_cache=True)
    assert sorted(kept) == sorted([*first, *(f"examination-{c}-1-of-3" for c in conditions), *rest])
    assert again.json() == found.json()


def test_a_part_that_is_nowhere_fails_its_cell(spec, cache, monkeypatch):
    def on_another_disk(job):
        outcome = run_job(job)
        for file in cache.glob("*-2-of-3.npz"):
            file.unlink()
        return outcome

    monkeypatch.setattr(sweep_local, "run_job", on_another_disk)
    (failed,) = sweep(spec(TABLES["heads"], parts=3), jobs=1).failed
    assert f"part 2 of 3 is not in {cache}; workers need the folder of the cache" in failed


def test_a_part_that_fails_takes_only_its_cell_along(spec, monkeypatch):
    feed = heads.feed_logit_terms
    seen = []

    def fail_in_the_second_part(*args, **kwargs):
        seen.append(None)
        if len(seen) == 2:
            raise UserError("too little memory for this")
        feed(*args, **kwargs)

    monkeypatch.setattr(heads, "feed_logit_terms", fail_in_the_second_part)
    found = sweep(spec(TABLES["manifold"] + TABLES["heads"] + "init = false\n", parts=3), jobs=1)
    assert [cell.failed for cell in found.report.result.cells] == [
        None,
        "too little memory for this",
    ]
    assert len(seen) == 3, "all its parts were tried, and it was not measured whole"


def test_without_a_cache_parts_are_refused_before_anything_runs(spec, monkeypatch):
    path = spec(TABLES["heads"], parts=2)
    monkeypatch.setenv("POSPROBE_CACHE", "")
    monkeypatch.setattr(sweep_local, "run_job", None)
    with pytest.raises(UserError, match=r"parts: POSPROBE_CACHE is empty, .*; name a folder"):
        sweep(path, jobs=1)


def test_a_cache_that_cannot_be_written_is_told(spec, cache):
    cache.write_text("no folder")
    (failed,) = sweep(spec(TABLES["heads"], parts=2), jobs=1).failed
    assert "a part cannot be kept there" in failed


@pytest.mark.slow
def test_every_engine_writes_the_same_table(spec, monkeypatch, tmp_path):
    pytest.importorskip("distributed")
    path = spec("".join(TABLES.values()), parts=3)
    tables = {}
    for name, how in {
        "one": {"jobs": 1},
        "joblib": {"jobs": 2},
        "dask": {"jobs": 2, "scheduler": "local"},
    }.items():
        monkeypatch.setenv("POSPROBE_CACHE", str(tmp_path / f"cache-{name}"))
        written = sweep(path, **how).save(tmp_path / name)
        tables[name] = next(file for file in written if file.suffix == ".parquet").read_bytes()
        assert len(list((tmp_path / f"cache-{name}").iterdir())) == len(TABLES)
    assert tables["joblib"] == tables["one"]
    assert tables["dask"] == tables["one"]


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", WORKERS)
def test_a_worker_that_is_killed_loses_no_part_but_its_own(spec, tmp_path, cache, scheduler):
    if scheduler:
        pytest.importorskip("distributed")
    path = spec(TABLES["heads"], parts=6, documents=60, batch_size=1)
    words = [*COMMAND, "sweep", path, "--jobs", "2", "--json"]
    words += ["--scheduler", scheduler] if scheduler else []
    with running(words, cwd=tmp_path) as run:
        wait_for(run.process, cache, "*.npz")
        run.kill_a_worker(scheduler)
        out, said = run.end()
    assert "part 6 of 6: " in said
    assert ("a worker was killed; going on with the" in said) == (scheduler is None)
    assert len(list(cache.iterdir())) == 1
    alone = json.loads(sweep(path, jobs=1, no_cache=True).json())
    assert json.loads(out)["result"] == alone["result"]
