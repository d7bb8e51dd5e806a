import json

import pytest

from posprobe import reproduce
from posprobe.core.errors import UserError
from posprobe.pipeline.claims import runs as claim_runs
from posprobe.pipeline.claims.runs import Size
from posprobe.pipeline.reproduce import CLAIMS
from tests.checkpoints import save_decoder, save_encoder

ENCODERS = ("dstg", "ap", "rp", "rope")


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trained")
    found = {kind: str(save_encoder(folder / kind, position=kind)) for kind in ENCODERS}
    return found | {"nope": str(save_decoder(folder / "nope")), "corpus": None}


@pytest.fixture(autouse=True)
def small(monkeypatch):
    size = Size(documents=8, probed=16, prompts=3, sequences=24, seeds=1)
    monkeypatch.setattr(claim_runs, "QUICK", size)


def test_encoder_claims_are_measured(named, tmp_path):
    wanted = ("A1", "A2", "A3", "A4", "A5", "A6")
    report = reproduce(quick=True, claim=wanted, **named)
    claims = report.claims.result.claims
    assert tuple(claim.id for claim in claims) == wanted
    assert all(claim.criteria and claim.commands for claim in claims)
    # Random weights show no flat table.
    assert claims[0].verdict in ("not shown", "partly")
    page, data, _, text, *figures = report.save(tmp_path)
    assert json.loads(data.read_text())["measure"] == "claims"
    assert all(f"| {name} |" in text.read_text() for name in wanted)
    anchors = [claim.evidence for claim in claims if claim.evidence]
    assert anchors
    assert not [anchor for anchor in anchors if f'id="{anchor}"' not in page.read_text()]
    assert {file.stem for file in figures} == set(anchors)


def test_claims_on_causal_models_hold_before_training(named):
    report = reproduce(quick=True, claim=("B1", "B6"), **named)
    criteria = [c for claim in report.claims.result.claims for c in claim.criteria]
    assert all(c.holds for c in criteria if c.says.endswith("untrained"))
    assert sum(c.says.endswith("untrained") for c in criteria) == 4


def test_the_table_and_the_command_make_it_again(named):
    report = reproduce(quick=True, claim=("A1",), **named)
    assert report.claims.provenance.command.startswith("posprobe reproduce --quick --claim A1")
    assert report.table()["verdict"].tolist() == [report.claims.result.claims[0].verdict]
    assert reproduce(quick=True, claim=("A1",), **named).json() == report.json()


def test_what_is_not_here_is_not_tested(named):
    report = reproduce(quick=True, claim=("A1", "A7"), **(named | {"dstg": "gone"}))
    assert [claim.verdict for claim in report.claims.result.claims] == ["not tested"] * 2
    (words,) = report.left_out
    assert words.startswith("Not measured, since there is no such checkpoint here: ")
    assert words.count("gone") == 1


def test_a_claim_that_nobody_made_is_one_line():
    with pytest.raises(UserError, match=r"--claim C1.*A1, A2"):
        reproduce(claim=("C1",))
    assert len(CLAIMS) == 13
