"""The checkpoints that ship are what their records say."""

import json

import numpy as np
import pytest

from posprobe import manifold
from posprobe.core.references import SHIPPED
from posprobe.data.splits import split_equations
from posprobe.data.symbolic import TASKS
from posprobe.loaders import load
from posprobe.training.equation_table import EquationTable
from posprobe.training.evaluate import exact_match

FOLDERS = sorted(path.parent for path in SHIPPED.glob("*/provenance.json"))
LEFT_THE_PLATEAU = 5.9
KNOWN = ("recipe", "command", "seed", "data", "steps", "evaluation", "curve", "versions")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_records_are_complete_and_name_the_folder(folder):
    records = json.loads((folder / "provenance.json").read_text())
    assert not [key for key in KNOWN if not records.get(key) and records.get(key) != 0]
    assert f"--out checkpoints/{folder.name}" in records["command"]
    assert records["data"]["sha256"]


def test_together_they_are_small():
    assert FOLDERS
    files = [file for folder in FOLDERS for file in folder.rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) < 40e6


@pytest.mark.parametrize(
    "folder",
    [folder for folder in FOLDERS if folder.name.startswith("nanogpt-nope")],
    ids=lambda folder: folder.name,
)
def test_symbolic_tasks_are_solved_as_often_as_recorded(folder):
    model = load(folder)
    task = TASKS[model.source.trained["data"]["name"]]
    _, held_out = split_equations(task, train=1, test=200, seed=77)
    table = EquationTable(held_out, model.tokenizer, name=task.name, causal=model.cfg.causal)
    recorded = model.source.trained["evaluation"]["exact_match"]
    assert exact_match(model, table)["exact_match"] == pytest.approx(recorded, abs=0.05)


def test_the_table_of_dstg_is_flatter_and_smoother_than_that_of_ap_at_equal_loss():
    found = manifold("dstg-tiny", "ap-tiny", steps="all", draws=1).result.manifolds
    own = sorted((m for m in found if m.checkpoint.startswith("dstg")), key=lambda m: m.loss)
    # On its first plateau the AP model has learned no local relations, and its table is smooth.
    added = [m for m in found if m.checkpoint.startswith("ap") and m.loss < LEFT_THE_PLATEAU]
    assert len(added) >= 3
    for other in added:
        for number, least in (("top2", 0.3), ("low4_all", 0.15)):
            curve = [getattr(m, number) for m in own]
            equal = np.interp(other.loss, [m.loss for m in own], curve)
            assert equal - getattr(other, number) >= least
