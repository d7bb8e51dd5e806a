import json
from dataclasses import fields

import pytest

from posprobe.core.errors import UserError
from posprobe.pipeline.applying import APPLIED, options_for
from posprobe.pipeline.report import full_report, plan_report
from posprobe.pipeline.report_options import MEASURES, ReportOptions
from posprobe.report.report import SECTIONS
from posprobe.report.saved_pages import saved_report
from tests.checkpoints import save_decoder, save_encoder
from tests.phenomena import write_datasets

FEW = {"documents": 8, "prompts": 4, "init": False}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("checkpoints")


@pytest.fixture(scope="module")
def dstg(folder):
    return str(save_encoder(folder / "dstg"))


@pytest.fixture(scope="module")
def nope(folder):
    return str(save_decoder(folder / "nope"))


def test_every_measure_has_a_section_and_a_way_to_run():
    assert set(MEASURES) == set(APPLIED)
    assert set(MEASURES) <= set(SECTIONS)


def test_what_does_not_apply_is_left_out_and_said(dstg, nope):
    made = full_report(dstg, nope, measures="heads,manifold,adjacency", **FEW)
    owners = [
        (report.measure, [source.ref for source in report.provenance.checkpoints])
        for report in made.reports
    ]
    assert owners == [
        ("manifold", [dstg, nope]),
        ("heads", [dstg]),
        ("adjacency", [dstg]),
        ("adjacency", [nope]),
    ]
    assert made.left_out == (
        "Left out: heads of nope, since its attention logits are not a sum of known terms.",
    )


def test_phenomena_are_measured_once_their_data_is_named(dstg, nope, tmp_path):
    assert "holmes" not in ReportOptions().chosen_measures()
    data = str(write_datasets(tmp_path / "data"))
    assert ReportOptions(data=data).chosen_measures() == MEASURES
    made = full_report(dstg, nope, measures="holmes", data=data, **FEW)
    assert [report.measure for report in made.reports] == ["holmes"]
    assert made.reports[0].result.checkpoints == ("dstg", "nope")
    with pytest.raises(UserError, match="--measures holmes: name the folder"):
        ReportOptions(measures="holmes")


def test_options_reach_the_measures_and_the_command(dstg):
    made = full_report(dstg, measures="heads,adjacency", seed=3, corpus="generated", **FEW)
    heads, adjacency = (report.provenance for report in made.reports)
    assert (heads.seed, heads.options["documents"], heads.options["init"]) == (3, 8, False)
    assert (adjacency.options["prompts"], adjacency.options["corpus"]) == (4, "generated")
    assert made.command == (
        f"posprobe report {dstg} --seed 3 --measures heads,adjacency --corpus generated "
        "--documents 8 --prompts 4 --no-init"
    )


def test_the_mask_is_taken_off_where_it_can_be(dstg, nope):
    made = full_report(nope, dstg, measures="adjacency", **FEW)
    conditions = [{score.condition for score in report.result.scores} for report in made.reports]
    assert conditions == [{"checkpoint", "non-causal"}, {"checkpoint"}]


def test_options_that_were_not_given_are_left_to_each_measure():
    found = options_for("heads", ReportOptions())
    assert "documents" not in found
    assert "task" not in found


def test_without_a_vocabulary_only_tables_are_measured(folder):
    bare = str(save_encoder(folder / "bare", vocabulary=False))
    made = full_report(bare, **FEW)
    assert [report.measure for report in made.reports] == ["manifold"]
    assert len(made.left_out) == 4
    assert all("--tokenizer" in words for words in made.left_out)
    with pytest.raises(UserError, match="nothing was measured"):
        full_report(bare, measures="heads", **FEW)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"measures": "heads,mood"}, "--measures mood: not known"),
        ({"corpus": "gone.txt"}, "gone.txt"),
        ({"documents": 0}, "--documents 0"),
    ],
)
def test_mistakes_are_found_before_anything_runs(dstg, monkeypatch, options, words):
    monkeypatch.setattr("posprobe.pipeline.applying.APPLIED", {})
    with pytest.raises(UserError, match=words):
        full_report(dstg, **options)


def test_saved_results_make_the_same_page(dstg, tmp_path):
    made = full_report(dstg, measures="manifold,heads", **FEW)
    made.save(tmp_path)
    again = saved_report([tmp_path])
    one, other = (json.loads(each.json()) for each in (again, made))
    assert one.pop("command") != other.pop("command")
    assert one == other
    assert again.command == f"posprobe report --from {tmp_path}"
    assert again.headline() == made.headline()


def test_a_plan_says_what_would_run(dstg, nope, tmp_path):
    facts = plan_report([dstg, nope], [], measures="heads")
    assert facts["heads of dstg"] == "runs"
    assert "left out, since" in facts["heads of nope"]
    full_report(dstg, measures="manifold", **FEW).save(tmp_path)
    assert plan_report([], [tmp_path])["reads"] == ["manifold"]


def test_options_of_the_page_itself_reach_no_measure():
    own = {"measures", "resamples"}
    for applied in APPLIED.values():
        assert not own & {field.name for field in fields(applied.options)}
