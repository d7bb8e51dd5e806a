import numpy as np
import pytest

from posprobe.analysis.differences import (
    jackknife_difference,
    paired_difference,
    separate_difference,
)
from posprobe.core.errors import UserError
from posprobe.pipeline.adjacency import adjacency
from posprobe.pipeline.compare import compare, plan_compare
from posprobe.pipeline.heads import heads
from posprobe.pipeline.holmes import holmes
from posprobe.pipeline.manifold import manifold
from posprobe.pipeline.probe import probe
from tests.checkpoints import save_decoder, save_encoder
from tests.phenomena import write_datasets

FEW = {"documents": 8, "prompts": 6, "init": False, "resamples": 200}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("checkpoints")


@pytest.fixture(scope="module")
def nopes(folder):
    return [str(save_decoder(folder / f"nope-{n}", n_layers=n)) for n in (1, 2)]


@pytest.fixture(scope="module")
def encoders(folder):
    return [str(save_encoder(folder / name, position=name)) for name in ("dstg", "rp")]


def _one(report, **wanted):
    (found,) = [
        item
        for item in report.result.differences
        if all(getattr(item, name) == value for name, value in wanted.items())
    ]
    return found


def test_adjacency_is_paired_over_the_same_prompts(nopes):
    report = compare(*nopes, measures="adjacency", seed=5, **FEW)
    sides = [adjacency(ref, prompts=6, seed=5, noncausal=True).result for ref in nopes]
    where = {"condition": "checkpoint", "quantity": "adjacency score, cosine"}
    found = _one(report, place="attn.hook_z", layer=0, **where)
    a, b = (
        next(
            score.rows
            for score in side.scores
            if (score.condition, score.site, score.feature)
            == ("checkpoint", "blocks.0.attn.hook_z", "cosine")
        )
        for side in sides
    )
    expected = paired_difference(a, b, seed=5, draws=200)
    assert (found.method, found.units, found.n) == ("paired", "prompts", 6)
    assert (found.a, found.b) == (a.mean(), b.mean())
    assert (found.difference, found.low, found.high) == (
        expected.mean,
        expected.low,
        expected.high,
    )
    # The second layer is in one of them only, and is not compared.
    assert {item.layer for item in report.result.differences} == {-1, 0}


def test_other_prompts_are_not_paired(nopes, tmp_path):
    files = []
    for ref, seed in zip(nopes, (0, 1), strict=True):
        files.append(str(adjacency(ref, prompts=6, seed=seed).save(tmp_path / f"{seed}")[1]))
    report = compare(*files)
    assert {item.method for item in report.result.differences} == {"separate"}
    assert (report.result.a, report.result.b) == ("nope-1", "nope-2")


def test_heads_are_drawn_apart_and_single_ones_compared_by_their_errors(folder, encoders):
    other = str(save_encoder(folder / "dstg-2", n_heads=4))
    report = compare(encoders[0], other, measures="heads", **FEW)
    sides = [heads(ref, documents=8, init=False).result for ref in (encoders[0], other)]
    found = _one(report, quantity="share of the logits", place="semantic")
    a, b = (side.share[:, :, side.terms.index("sem")].reshape(-1) for side in sides)
    expected = separate_difference(a, b, seed=0, draws=200)
    assert (found.difference, found.low, found.high) == (
        expected.mean,
        expected.low,
        expected.high,
    )
    assert found.n == 4
    assert all(item.head is None for item in report.result.differences)
    same = compare(encoders[0], encoders[0], measures="heads", **FEW)
    single = [item for item in same.result.differences if item.head is not None]
    assert len(single) == 2 * 2 * 3
    assert {(item.difference, item.method, item.n) for item in single} == {(0.0, "errors", 8)}
    assert not any(item.apart for item in single)


def test_probes_are_paired_over_the_same_documents(folder, encoders):
    other = str(save_encoder(folder / "rp-2", position="rp", d_mlp=48))
    few = {"corpus": "generated", "documents": 30}
    refs = (encoders[1], other)
    report = compare(*refs, measures="probe", init=False, resamples=200, **few)
    where = {"place": "hook_resid_post", "layer": 1, "quantity": "token position R²"}
    found = _one(report, **where)
    assert (found.method, found.units, found.n) == ("paired", "documents", 8)
    sides = [probe(ref, init=False, **few).result.scores for ref in refs]
    a, b = (
        next(s for s in side if (s.site, s.target) == ("blocks.1.hook_resid_post", "token"))
        for side in sides
    )
    expected = jackknife_difference(
        a.headline.value,
        b.headline.value,
        without_a=np.array(a.headline.without),
        without_b=np.array(b.headline.without),
    )
    assert (found.a, found.b) == (a.headline.value, b.headline.value)
    assert (found.low, found.high) == (expected.low, expected.high)
    assert found.low < found.high
    # Another draw of documents has no partners here.
    saved = [
        str(probe(ref, init=False, seed=seed, **few).save(folder / f"seed-{seed}")[1])
        for seed, ref in enumerate(refs)
    ]
    assert _one(compare(*saved), **where).method == "errors"


def test_phenomena_are_compared_by_field(encoders, nopes, tmp_path):
    data = str(write_datasets(tmp_path / "data"))
    report = compare(encoders[0], nopes[0], measures="holmes", data=data, **FEW)
    sides = [holmes(ref, data=data).result.phenomena for ref in (encoders[0], nopes[0])]
    a, b = (np.array([score.score for score in side]) for side in sides)
    expected = paired_difference(a, b, seed=0, draws=200)
    found = _one(report, quantity="mean score, all fields")
    assert (found.method, found.units, found.n) == ("paired", "phenomena", 3)
    assert (found.low, found.high) == (expected.low, expected.high)
    assert found.difference == pytest.approx((b - a).mean())


def test_tables_have_differences_without_intervals(folder, encoders):
    ap = str(save_encoder(folder / "ap", position="ap"))
    report = compare(encoders[0], ap, measures="manifold", **FEW)
    sides = [manifold(ref).result.manifolds[0] for ref in (encoders[0], ap)]
    found = _one(report, quantity="variance in PC1–2")
    assert found.difference == sides[1].top2 - sides[0].top2
    assert (found.method, found.n) == ("none", 0)
    assert np.isnan(found.low)


def test_what_one_lacks_is_left_out_and_said(encoders, nopes):
    report = compare(encoders[0], nopes[0], measures="heads,adjacency", **FEW)
    assert any("heads" in words for words in report.result.left_out)
    assert {item.measure for item in report.result.differences} == {"adjacency"}


def test_saved_and_measured_results_are_compared_alike(nopes, tmp_path):
    folders = []
    for index, ref in enumerate(nopes):
        folders.append(str(tmp_path / f"{index}"))
        adjacency(ref, prompts=6, noncausal=True).save(tmp_path / f"{index}")
    saved = compare(*folders, resamples=200)
    measured = compare(*nopes, measures="adjacency", **FEW)
    assert saved.result.differences == measured.result.differences


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ("NOPE", "gone", "gone: no such"),
        ("NOPE", "SAVED", "two checkpoints or two saved results"),
        ("SAVED", "HALF", "differ in --average or --ties"),
        ("SAVED", "TABLE", "no number in common"),
        ("TWO", "TABLE", "has several checkpoints"),
    ],
)
def test_what_cannot_be_compared_is_an_error(nopes, encoders, tmp_path, a, b, words):
    saves = {
        "SAVED": lambda: adjacency(nopes[0], prompts=2),
        "HALF": lambda: adjacency(nopes[0], prompts=2, ties="half"),
        "TABLE": lambda: manifold(encoders[0], draws=2),
        "TWO": lambda: manifold(encoders[0], encoders[0] + "/", draws=2),
    }
    places = {"NOPE": nopes[0], "gone": "gone"}
    for name in {a, b} & set(saves):
        places[name] = str(saves[name]().save(tmp_path / name)[1])
    with pytest.raises(UserError, match=words):
        compare(places[a], places[b], measures="adjacency" if a == "NOPE" else None, prompts=2)


def test_a_plan_says_what_would_be_compared(nopes, tmp_path):
    assert plan_compare(*nopes, measures="adjacency")["adjacency of nope-1"] == "runs"
    adjacency(nopes[0], prompts=2).save(tmp_path)
    assert plan_compare(str(tmp_path), nopes[1])[str(tmp_path)] == ["adjacency, saved"]
