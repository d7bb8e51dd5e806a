"""Probes find what was planted, and nothing where nothing is."""

import json

import numpy as np
import pytest
import torch

from posprobe import probe, save
from posprobe.core.errors import UserError
from posprobe.data.vocabulary import ascii_vocabulary
from posprobe.models.build import build
from posprobe.models.config import DecoderConfig, EncoderConfig
from tests.checkpoints import ENCODER, save_decoder, save_encoder

RESID_PRE = "blocks.0.hook_resid_pre"
RANDOM = {"corpus": "random-tokens", "documents": 24, "folds": 3, "init": False}


def save_planted(folder):
    """A decoder whose position table has the position itself in one column."""
    model = build(DecoderConfig(position="learned", n_layers=1, n_heads=2, d_model=16, n_ctx=64))
    with torch.no_grad():
        model.embed.weight.normal_()
        model.embed.weight[:, 0] = 0
        model.pos_embed.weight.zero_()
        model.pos_embed.weight[:, 0] = torch.arange(64.0)
    model.tokenizer = ascii_vocabulary()
    return str(save(model, folder))


def by_target(report, **wanted):
    return {
        score.target: score
        for score in report.result.scores
        if all(getattr(score, name) == value for name, value in wanted.items())
    }


def test_a_planted_position_is_read_and_its_controls_are_not(tmp_path):
    planted = save_planted(tmp_path / "planted")
    report = probe(planted, site=(RESID_PRE, "hook_embed"), **RANDOM)
    found = by_target(report, site=RESID_PRE)
    assert found["token"].headline.value > 0.999
    assert found["token"].scores[1].value < 0.01
    assert found["token"].headline.low > 0.999
    assert found["to-end"].headline.value < 0.8
    nothing = by_target(report, site="hook_embed")
    for score in (*found.values(), *nothing.values()):
        assert score.shuffled < 0.05
        assert score.identity < 0.05
    assert all(score.headline.value < 0.05 for score in nothing.values())
    assert found["token"].selectivity_shuffled == pytest.approx(
        found["token"].headline.value - max(0, found["token"].shuffled)
    )
    assert (report.result.train_documents, report.result.test_documents) == (18, 6)
    assert {score.layer for score in nothing.values()} == {-1}


def test_what_the_token_itself_tells_is_no_credit_of_the_state(tmp_path):
    nope = str(save_decoder(tmp_path / "nope", d_model=64))
    # Position and token are the same thing here.
    alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    lines = [json.dumps({"text": alphabet[: 20 + n]}) for n in range(24)]
    (tmp_path / "abc.jsonl").write_text("\n".join(lines))
    report = probe(
        nope,
        corpus=str(tmp_path / "abc.jsonl"),
        target=("token", "boundary", "paragraph"),
        site=("hook_embed",),
        init=False,
        folds=3,
    )
    found = by_target(report)
    assert found["token"].headline.value > 0.9
    assert found["token"].identity > 0.99
    assert found["token"].selectivity_identity < 0.01
    assert (found["boundary"].kind, found["boundary"].headline.metric) == ("class", "macro_f1")
    assert found["paragraph"].undefined == "constant"
    assert np.isnan(found["paragraph"].headline.value)
    assert np.isnan(found["paragraph"].selectivity_shuffled)
    (paragraph,) = (s for s in json.loads(report.json())["result"]["scores"] if s["undefined"])
    assert paragraph["shuffled"] is None


def test_each_stream_is_read_by_itself(tmp_path):
    model = build(EncoderConfig(**(ENCODER | {"d_vocab": 97, "pad_id": 96})))
    with torch.no_grad():
        table = model.pos_embed.weight
        table.zero_()
        table[:, 0] = torch.linspace(-1, 1, len(table))
    model.tokenizer = ascii_vocabulary()
    dstg = str(save(model, tmp_path / "dstg"))
    report = probe(dstg, site=(f"{RESID_PRE}_ap", f"{RESID_PRE}_sem", RESID_PRE), **RANDOM)
    read = {s.stream: s.headline.value for s in report.result.scores if s.target == "token"}
    assert set(read) == {"ap", "sem", "whole"}
    assert min(read["ap"], read["whole"]) > 0.99
    assert read["sem"] < 0.05
    streams = probe(dstg, stream=("ap",), layer=(1,), **RANDOM).result.scores
    assert {score.site for score in streams} == {"blocks.1.hook_resid_post_ap"}


def test_the_usual_places_conditions_and_targets(tmp_path):
    nope = str(save_decoder(tmp_path / "nope", n_ctx=160))
    result = probe(nope, documents=16, folds=2).result
    assert [(s.site, s.layer, s.stream, s.feature) for s in result.scores[:15:5]] == [
        ("hook_embed", -1, "whole", "state"),
        ("blocks.0.hook_resid_post", 0, "whole", "state"),
        ("blocks.1.hook_resid_post", 1, "whole", "state"),
    ]
    assert result.targets == (
        *("token", "sentence", "paragraph", "within-sentence", "within-paragraph"),
    )
    conditions = [score.condition for score in result.scores]
    assert conditions == ["checkpoint"] * 15 + ["random init"] * 15
    assert all(score.probe == "linear" and score.penalty for score in result.scores)
    assert len({(s.n_train, s.n_test) for s in result.scores}) == 1


def test_two_runs_give_the_same_bytes_and_the_batch_size_changes_nothing(tmp_path):
    dstg = str(save_encoder(tmp_path / "dstg", n_ctx=100))
    options = {"documents": 16, "folds": 2, "target": ("token", "boundary"), "stream": ("ap",)}
    first, second = (probe(dstg, **options) for _ in range(2))
    assert first.result.to_json() == second.result.to_json()
    other = probe(dstg, batch_size=3, **options)
    for one, two in zip(first.result.scores, other.result.scores, strict=True):
        assert one.headline.value == pytest.approx(two.headline.value, abs=1e-4)
        assert one.identity == pytest.approx(two.identity, abs=1e-9)


def test_several_checkpoints_read_the_same_documents(tmp_path):
    dstg, nope = save_encoder(tmp_path / "dstg"), save_decoder(tmp_path / "nope")
    both = probe(str(dstg), str(nope), documents=16, folds=2, layer=(1,), init=False)
    assert [t.documents for t in both.provenance.tokens] == [16, 16]
    assert {s.checkpoint for s in both.result.scores} == {"dstg", "nope"}
    alone = probe(str(nope), documents=16, folds=2, layer=(1,), init=False).result
    assert [s for s in both.result.scores if s.checkpoint == "nope"] == list(alone.scores)


def test_a_configuration_has_random_weights_only():
    report = probe("nanogpt-nope-paper", layer=(0,), length=12, **(RANDOM | {"init": True}))
    assert {score.condition for score in report.result.scores} == {"random init"}
    with pytest.raises(UserError, match="--init"):
        probe("nanogpt-nope-paper", **RANDOM)


def test_features_are_read_side_by_side(tmp_path):
    planted = save_planted(tmp_path / "planted")
    report = probe(
        planted,
        site=(RESID_PRE,),
        feature=("norm", "cosine", "cosine+norm", "state+norm"),
        disjoint=True,
        **RANDOM,
    )
    found = {s.feature: s.headline.value for s in report.result.scores if s.target == "token"}
    assert list(found) == ["norm", "cosine", "cosine+norm", "state+norm"]
    # The planted position is nearly all of the state's length, and little of its direction.
    assert found["norm"] > 0.95
    assert found["state+norm"] > 0.999
    assert found["cosine+norm"] >= found["norm"] - 1e-3
    assert "random token ids" in report.result.corpus


def test_equal_lengths_are_said_of_the_distance_to_the_end(tmp_path):
    nope = str(save_decoder(tmp_path / "nope"))
    lines = [json.dumps({"text": "a sentence of many letters and " * 2}) for _ in range(12)]
    (tmp_path / "same.jsonl").write_text("\n".join(lines))
    options = {"corpus": str(tmp_path / "same.jsonl"), "layer": (0,), "folds": 2, "init": False}
    notes = probe(nope, target=("token", "to-end"), **options).result.notes
    assert set(notes) == {"to-end"}
    assert notes["to-end"].startswith("12 of 12 sequences of nope have 61 tokens")
    different = probe(nope, target=("to-end",), **(RANDOM | {"layer": (0,)})).result.notes
    assert different == {}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"target": ("place",)}, "--target place: not known; choose among token"),
        ({"probe": ("svm",)}, "--probe svm"),
        ({"feature": ("cosine+size",)}, "--feature size"),
        ({"target": ("upos",)}, r"needs a \.conllu corpus"),
        ({"target": ("sentence",), "corpus": "random-tokens"}, "no sentences"),
        ({"disjoint": True}, "--disjoint: needs --corpus random-tokens"),
        ({"stream": ("ap",)}, "--stream ap: no site of .* is left; .* streams whole"),
        ({"layer": (2,)}, "--layer 2: no site of .* layers -1 .* to 1"),
        ({"documents": 5}, "use more documents"),
        ({"test_share": 1.0}, "--test-share 1.0: must be between 0 and 1"),
        ({"folds": 1}, "--folds 1: must be at least 2"),
        ({"length": 65}, "--length 65"),
    ],
)
def test_what_cannot_be_probed_is_refused(tmp_path, options, expected):
    nope = str(save_decoder(tmp_path / "nope"))
    with pytest.raises(UserError, match=expected):
        probe(nope, **options)
