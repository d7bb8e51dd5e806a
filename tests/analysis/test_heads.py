import json
from dataclasses import replace

import pytest
import torch

from posprobe.analysis.head_sums import HeadSums


@pytest.fixture
def result():
    sums = HeadSums(2, 3, ("ap", "sem", "rp"))
    for layer in range(2):
        terms = {name: torch.randn(4, 3, 5, 5) for name in ("ap", "sem")}
        terms["rp"] = torch.randn(1, 3, 5, 5)
        sums.update(layer, terms, torch.ones(4, 5, 5, dtype=torch.bool), torch.arange(4))
    return sums.result(checkpoint="c")


def test_frame_has_a_row_per_number(result):
    frame = result.to_frame()
    assert len(frame) == 6 * (4 * 3 + 5 + 9)
    place = "layer == 1 and head == 2"
    share = frame.query(f"{place} and quantity == 'share' and term == 'rp'")
    assert share.value.item() == result.share[1, 2, 2]
    assert share["class"].item() == result.classes[1][2]
    bias = frame.query(f"{place} and quantity == 'bias_curve' and offset == -4")
    assert bias.value.item() == result.bias_curve[1, 2, 0]


def test_random_initialisation_is_told_apart(result):
    both = replace(result, init=result)
    frame = both.to_frame()
    assert frame.weights.value_counts().to_dict() == {
        "checkpoint": len(result.to_frame()),
        "random init": len(result.to_frame()),
    }
    assert both.summary()["class_counts_init"] == result.class_counts
    assert result.summary()["class_counts_init"] is None


def test_json_is_strict(result):
    shown = json.loads(replace(result, init=result).to_json())
    assert shown["init"]["terms"] == ["ap", "sem", "rp"]
    assert len(shown["share"][1][2]) == 3
    assert sum(shown["class_counts"].values()) == 6
