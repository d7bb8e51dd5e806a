"""A result from the cache is the one a new run finds, and nothing else is ever taken for it."""

import json
import logging
from pathlib import Path

import pytest

import posprobe
from posprobe.pipeline import adjacency as adjacency_pipeline
from posprobe.pipeline import cached as pipeline
from posprobe.pipeline.cached import NotMeasured, only_looking
from tests.checkpoints import save_encoder

RUNS = {
    "manifold": ("dstg", {"draws": 3, "documents": 20}),
    "heads": ("dstg", {"documents": 8}),
    "adjacency": ("nope", {"prompts": 4, "init": True, "noncausal": True}),
    "probe": ("dstg", {"documents": 24, "target": ("token",)}),
}
STATES = {"source": "states", "draws": 3, "documents": 20}


@pytest.fixture
def cache(monkeypatch, tmp_path) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("POSPROBE_CACHE", str(folder))
    return folder


@pytest.fixture
def dstg(dstg) -> str:
    return str(dstg)


@pytest.fixture
def nope(nope) -> str:
    return str(nope)


@pytest.fixture
def hits(caplog):
    """Count what came from the cache since the last look."""
    logger = logging.getLogger("posprobe")
    logger.propagate = True
    caplog.set_level(logging.INFO, logger="posprobe")

    def count() -> int:
        found = sum("is from the cache" in message for message in caplog.messages)
        caplog.clear()
        return found

    return count


@pytest.mark.parametrize("measure", RUNS)
def test_the_second_run_says_the_same_in_every_file(measure, request, cache, hits):
    kind, options = RUNS[measure]
    ref, run = request.getfixturevalue(kind), getattr(posprobe, measure)
    new = run(ref, **options)
    assert hits() == 0
    assert len(list(cache.glob(f"{measure}-*.json"))) == 1
    kept = run(ref, **options)
    assert hits() == 1
    for text in ("json", "csv", "html"):
        assert getattr(kept, text)() == getattr(new, text)(), text
    again = run(ref, no_cache=True, **options)
    assert hits() == 0
    assert again.json() == new.json()


def test_each_of_several_checkpoints_is_kept_by_itself(dstg, tmp_path, cache, hits):
    other = str(save_encoder(tmp_path / "other", d_mlp=32))
    both = posprobe.manifold(dstg, other, **STATES)
    posprobe.manifold(other, **STATES)
    assert hits() == 1
    assert posprobe.manifold(other, dstg, **STATES).result.manifolds[-1].label == "dstg"
    assert hits() == 2
    assert posprobe.manifold(dstg, other, **STATES).json() == both.json()


def test_what_decides_the_result_misses(nope, tmp_path, cache, hits):
    options = {"prompts": 4}
    posprobe.adjacency(nope, **options)
    for change in ({"seed": 1}, {"prompts": 5}, {"task": "addition"}, {"batch_size": 3}):
        posprobe.adjacency(nope, **options | change)
    posprobe.save(posprobe.load(nope).reinit(9), nope)
    posprobe.adjacency(nope, **options)
    assert hits() == 0
    config = Path(nope) / "config.json"
    settings = json.loads(config.read_text())
    config.write_text(json.dumps(settings | {"eps": 1e-3}))
    posprobe.adjacency(nope, **options)
    assert hits() == 0, "the weights are the same, the model is not"
    posprobe.adjacency(nope, **options)
    assert hits() == 1


def test_other_settings_of_a_repository_miss(monkeypatch, tmp_path):
    config = tmp_path / "config.json"
    asked = []

    def fetched(repository, name, *, revision):
        asked.append((repository, name, revision))
        return str(config) if config.exists() else None

    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", fetched)
    found = [pipeline._settings("me/mine@v1")]
    for text in ("{}", '{"eps": 1}'):
        config.write_text(text)
        found.append(pipeline._settings("me/mine@v1"))
    assert found[0] is None
    assert len(set(found)) == 3
    assert asked == [("me/mine", "config.json", "v1")] * 3
    assert pipeline._settings("nanogpt-nope-paper") is None


def test_another_text_under_the_same_name_misses(dstg, tmp_path, cache, hits):
    corpus = tmp_path / "mine.txt"
    text = "One word and many more follow here. Then a second sentence comes.\n\n"
    corpus.write_text(text * 40)
    options = {"corpus": str(corpus), "source": "states", "draws": 3, "positions": 4}
    posprobe.manifold(dstg, **options)
    corpus.write_text(text.replace("many", "more") * 40)
    posprobe.manifold(dstg, **options)
    assert hits() == 0


def test_other_code_and_other_threads_miss(nope, cache, hits, monkeypatch):
    posprobe.adjacency(nope, prompts=4)
    monkeypatch.setattr(pipeline, "_code", lambda: "changed")
    posprobe.adjacency(nope, prompts=4)
    monkeypatch.undo()
    monkeypatch.setenv("POSPROBE_CACHE", str(cache))
    monkeypatch.setattr(pipeline, "thread_count", lambda: 7)
    posprobe.adjacency(nope, prompts=4)
    assert hits() == 0


def test_a_damaged_file_is_made_again(nope, cache, hits):
    new = posprobe.adjacency(nope, prompts=4)
    (file,) = cache.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    assert posprobe.adjacency(nope, prompts=4).json() == new.json()
    assert hits() == 0
    assert file.read_bytes() == whole


def test_a_cache_that_cannot_be_written_costs_nothing_else(nope, tmp_path, monkeypatch, hits):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("POSPROBE_CACHE", str(tmp_path / "file" / "below"))
    first = posprobe.adjacency(nope, prompts=4)
    assert posprobe.adjacency(nope, prompts=4).json() == first.json()
    assert hits() == 0


def test_a_kept_configuration_is_not_built_again(cache, monkeypatch):
    options = {"init": True, "prompts": 4}
    first = posprobe.adjacency("nanogpt-nope-6x192", **options)

    def refuse(*_, **__):
        raise AssertionError("weights were drawn")

    monkeypatch.setattr(adjacency_pipeline, "load_random", refuse)
    assert posprobe.adjacency("nanogpt-nope-6x192", **options).json() == first.json()
    with pytest.raises(AssertionError, match="weights were drawn"):
        posprobe.adjacency("nanogpt-nope-6x192", **options, seed=1)


def test_looking_runs_nothing(nope, cache):
    with only_looking(), pytest.raises(NotMeasured):
        posprobe.adjacency(nope, prompts=4)
    new = posprobe.adjacency(nope, prompts=4)
    with only_looking():
        assert posprobe.adjacency(nope, prompts=4).json() == new.json()


def test_the_command_says_so_in_one_line(nope, posprobe, cache):
    words = ("adjacency", nope, "--prompts", 4, "--json")
    status, new, err = posprobe(*words)
    assert (status, "from the cache" in err) == (0, False)
    status, kept, err = posprobe(*words)
    assert (status, kept) == (0, new)
    said = [line for line in err.splitlines() if "from the cache" in line]
    assert said == [
        f"posprobe: adjacency of {nope} is from the cache; --no-cache measures it again"
    ]
    status, again, err = posprobe(*words, "--no-cache")
    assert (status, again, "from the cache" in err) == (0, new, False)


def test_pages_comparisons_and_claims_take_what_was_kept(dstg, tmp_path, cache, hits):
    other = str(save_encoder(tmp_path / "other", d_mlp=32))
    options = {"measures": "heads", "documents": 8}
    posprobe.full_report(dstg, **options)
    assert hits() == 0
    posprobe.full_report(dstg, **options)
    assert hits() == 1
    posprobe.compare(dstg, other, **options)
    assert hits() == 1
    posprobe.compare(dstg, other, **options, resamples=500)
    assert hits() == 2
    posprobe.reproduce(claim=("B4",), quick=True)
    assert hits() == 0
    posprobe.reproduce(claim=("B4",), quick=True)
    assert hits() == 5
