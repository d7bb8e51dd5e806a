"""What pages say of how their checkpoints were trained."""

from dataclasses import replace

import numpy as np
import pytest

from posprobe.report.adjacency import adjacency_section
from posprobe.report.checkpoints import listed
from posprobe.report.heads import heads_section
from posprobe.report.manifold import manifold_section
from posprobe.report.page import render_page
from posprobe.report.training import training_blocks
from tests.figures import samples, trainings
from tests.report.pages import Page, number

STEPS = (240, 8000)
SECTIONS = {
    "heads": lambda: heads_section(samples.heads_result(layers=1)),
    "adjacency": lambda: adjacency_section(samples.adjacency_result(layers=1)),
    "manifold": lambda: manifold_section(samples.manifold_result(samples.manifold())),
}


def _sources(**records):
    (source,) = samples.provenance().checkpoints
    return tuple(replace(source, ref=ref, trained=found) for ref, found in records.items())


def _provenance(**records):
    return replace(samples.provenance(), checkpoints=_sources(**records))


def test_without_a_curve_there_is_no_block():
    assert training_blocks(samples.provenance()) == ()


def test_kept_steps_are_part_of_the_training_they_belong_to():
    (block,) = training_blocks(trainings.forming_provenance(steps=STEPS))
    assert [key.label for key in block.figure.legend()] == ["dstg-tiny", "ap-tiny"]
    (table,) = block.tables
    assert table.frame["steps"].tolist() == [8000, 8000]


def test_the_table_has_recipe_steps_tokens_numbers_and_command():
    records = trainings.trained(test=("loss", "exact_match"))
    (block,) = training_blocks(_provenance(first=records, second=trainings.trained("ap-tiny")))
    rows = block.tables[0].frame.to_dict("records")
    assert rows[0] == {
        "checkpoint": "first",
        "recipe": "dstg-tiny",
        "steps": 8000,
        "tokens": 16_384_000,
        "loss, held out": records["evaluation"]["loss"],
        "exact match, held out": records["evaluation"]["exact_match"],
        "accuracy, held out": None,
        "command": "posprobe train dstg-tiny --out checkpoints/dstg-tiny",
    }
    assert block.tables[0].cells()[1][5] == ""


def test_checkpoints_of_one_name_are_called_by_their_whole_reference():
    records = {"a/x": trainings.trained(), "b/x": trainings.trained()}
    (block,) = training_blocks(_provenance(**records))
    assert block.tables[0].frame["checkpoint"].tolist() == ["a/x", "b/x"]


def test_the_same_checkpoint_twice_is_drawn_once():
    twice = _sources(x=trainings.trained()) * 2
    (block,) = training_blocks(replace(samples.provenance(), checkpoints=twice))
    assert len(block.tables[0].frame) == 1


def test_steps_are_listed_under_a_checkpoint_only_if_it_is_there():
    records = {"a": {}, "a/step-000240": {}, "b/step-000240": {}, "a/other": {}}
    found = listed(_sources(**records))
    assert [item.source.ref for item in found] == ["a", "b/step-000240", "a/other"]
    assert [source.ref for source in found[0].steps] == ["a/step-000240"]
    assert found[1].steps == ()


@pytest.mark.parametrize("measure", SECTIONS)
def test_every_page_has_the_block_before_its_provenance(measure):
    text = render_page(SECTIONS[measure](), _provenance(x=trainings.trained()), interactive=False)
    page = Page(text)
    assert page.ids.count("training") == 1
    assert page.ids.index("training") < page.ids.index("provenance")
    assert page.table("How each was trained")[0]["recipe"] == "dstg-tiny"
    assert '<a href="#training">' in text


def test_a_page_of_trainings_names_checkpoints_and_folds_steps_and_settings():
    result = trainings.forming_result(steps=STEPS)
    provenance = trainings.forming_provenance(steps=STEPS)
    text = render_page(manifold_section(result), provenance, interactive=False)
    head = text[: text.index('id="headline"')]
    assert "step-000240" not in head
    assert "checkpoints/dstg-tiny" in head
    shown = " ".join("".join(Page(text).text).split())
    for words in ("checkpoints/ap-tiny/step-000240", f"{240:064x}", f"{8000:064x}"):
        assert words in shown
    # What is drawn is not written out as well; what is long is spelt out where it is folded.
    assert "[[" not in shown
    assert "model position dstg, n_layers 4" in shown
    assert "overrides none; seed 0" in shown


def test_numbers_on_the_page_are_those_of_the_result():
    result = trainings.forming_result(steps=STEPS)
    provenance = trainings.forming_provenance(steps=STEPS)
    page = Page(render_page(manifold_section(result), provenance, interactive=False))
    rows = page.table("Each training at each step")
    for name, key in (("variance in PC1–2", "top2"), ("loss", "loss"), ("step", "step")):
        shown = [number(row[name]) for row in rows]
        meant = [getattr(item, key) for item in result.manifolds]
        np.testing.assert_allclose(shown, meant, atol=5.1e-4)


def test_commands_break_between_words():
    long = trainings.trained() | {"command": "posprobe train dstg-tiny" + " --set lr=2e-3" * 5}
    section = SECTIONS["manifold"]()
    text = render_page(section, _provenance(x=long), interactive=False)
    assert text.count("<span>--set</span> <span>lr=2e-3</span>") == 5


def test_odd_records_cannot_become_markup_or_stop_a_page():
    odd = trainings.trained(samples.NASTY) | {"evaluation": None, samples.NASTY: {"a": [1, {}]}}
    text = render_page(SECTIONS["heads"](), _provenance(x=odd), interactive=False)
    assert "<script>alert" not in text
    assert samples.NASTY in "".join(Page(text).text)
