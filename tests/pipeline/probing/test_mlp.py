from dataclasses import replace

import numpy as np
import pytest
import torch

from posprobe import probe
from posprobe.core.errors import UserError
from posprobe.data.document_folds import HELD_OUT
from posprobe.data.random_sequences import random_sequences
from posprobe.models.hooked import NO_SOURCE
from posprobe.pipeline.options import ProbeOptions
from posprobe.pipeline.probing import mlp as probe_mlp
from posprobe.pipeline.probing.corpus import ProbeCorpus, Side
from posprobe.pipeline.probing.mlp import NetworkProbes
from posprobe.pipeline.probing.samples import Sample
from posprobe.pipeline.probing.study import Study
from posprobe.pipeline.probing.token_sample import TokenSample
from tests.checkpoints import save_decoder
from tests.pipeline.test_probe import RANDOM, RESID_PRE, save_planted


def sides():
    text = random_sequences(9, longest=20, vocab_size=9, targets=("token", "to-end"), seed=0)
    return Side(text=text, shuffled=text.labels[::-1], fold=np.arange(9) % 3)


def samples(side, size):
    """The tokens of a side in batches, with two readings whose states name them."""
    for places in np.array_split(np.arange(side.text.counted.size), size):
        documents = side.text.document[places]
        first = torch.from_numpy(places)[:, None].to(torch.float64)
        yield Sample(
            places=places,
            documents=documents,
            fold=side.fold[documents],
            labels=side.text.labels[:, places],
            shuffled=side.shuffled[:, places],
            states=[first, first.expand(-1, 3)],
        )


def test_a_sample_keeps_states_and_labels_together():
    side = sides()
    kept = TokenSample(side, tokens=40, seed=0)
    for sample in samples(side, 5):
        kept.update(sample)
    assert len(kept) == 40
    first, second = kept.states
    assert (first.shape, second.shape, first.dtype) == ((40, 1), (40, 3), torch.float32)
    places = first[:, 0].numpy().astype(int)
    assert len(set(places)) == 40
    np.testing.assert_array_equal(kept.labels, side.text.labels[:, places])
    np.testing.assert_array_equal(kept.shuffled, side.shuffled[:, places])
    np.testing.assert_array_equal(kept.fold, side.fold[side.text.document[places]])
    assert len(TokenSample(side, tokens=10_000, seed=0)) == side.text.counted.size
    assert HELD_OUT not in kept.fold


def test_networks_read_what_is_planted_and_say_how_much_they_saw(tmp_path):
    planted = save_planted(tmp_path / "planted")
    options = RANDOM | {"site": (RESID_PRE,), "seeds": 2, "target": ("token",)}
    report = probe(planted, probe=("mlp-small", "linear"), mlp_tokens=300, **options)
    network, linear = report.result.scores
    assert (network.probe, linear.probe) == ("mlp-small", "linear")
    assert network.headline.value > 0.8
    assert network.shuffled < 0.1
    assert (network.n_train, network.penalty) == (300, None)
    assert len(network.headline.by_seed) == 2
    assert network.headline.value == pytest.approx(np.mean(network.headline.by_seed))
    assert "learned from 300 of" in report.result.notes["token"]
    again = probe(planted, probe=("mlp-small",), mlp_tokens=300, **options)
    assert again.result.scores == (network,)


def test_networks_of_classes(tmp_path):
    nope = str(save_decoder(tmp_path / "nope", n_ctx=128))
    options = {"documents": 16, "folds": 2, "layer": (-1,), "init": False}
    (score,) = probe(
        nope, target=("boundary",), probe=("mlp-small",), seeds=1, **options
    ).result.scores
    # A full stop ends a sentence, and the token embedding knows no more than the token.
    assert score.headline.value > 0.8
    assert score.headline.value == pytest.approx(score.identity, abs=0.05)
    assert score.shuffled < 0.6


def test_readings_alike_in_width_are_what_each_is_alone(tmp_path, monkeypatch):
    nope = str(save_decoder(tmp_path / "nope", n_ctx=128))
    options = RANDOM | {"seeds": 2, "target": ("token", "to-end")}
    options["site"] = (RESID_PRE, "blocks.0.hook_resid_mid", "blocks.0.hook_resid_post")
    options |= {"probe": ("mlp-small",), "mlp_tokens": 300, "feature": ("state", "cosine")}
    shown = []

    def progress(items, *, total, what):
        shown.append([what, total, -1])
        for item in items:
            shown[-1][2] += 1
            yield item
        shown[-1][2] += 1

    together = probe(nope, progress=progress, **options).result.scores
    bars = [bar[1:] for bar in shown if "mlp-small probes" in bar[0]]
    # Two targets of each reading: two seeds and a control.
    readings = len(together) // 2
    assert readings > 2
    assert bars == [[6 * readings, 6 * readings]]
    monkeypatch.setattr(probe_mlp, "TOGETHER", 1)
    assert probe(nope, **options).result.scores == together


def test_a_sample_without_tokens_to_watch_is_refused():
    side = sides()
    study = Study(
        name="made up",
        source=NO_SOURCE,
        corpus=ProbeCorpus(
            tokens=side.text.tokens, train=replace(side, fold=np.ones(9, dtype=int)), test=side
        ),
        readings=(),
        targets=(),
        chosen=ProbeOptions(mlp_tokens=100),
    )
    with pytest.raises(UserError, match="--mlp-tokens 100: too few for 5 folds"):
        NetworkProbes(study, "mlp")
