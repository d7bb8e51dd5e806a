import json

import numpy as np
import pytest
import torch

from posprobe.analysis.adjacency import AdjacencyResult
from posprobe.analysis.adjacency_sums import AdjacencySums


@pytest.fixture
def result():
    scores, similarity, variance = [], [], []
    for layer, site in ((-1, "hook_embed"), (0, "blocks.0.attn.hook_z")):
        sums = AdjacencySums(condition="checkpoint", site=site, layer=layer)
        sums.update(torch.randn(3, 8, 4), torch.arange(3))
        scores += sums.scores(seed=0)
        similarity.append(sums.similarity())
        variance.append(sums.variance())
    return AdjacencyResult(
        checkpoint="c",
        task="reversal",
        ties="strict",
        average="triples",
        scores=tuple(scores),
        similarity=tuple(similarity),
        variance=tuple(variance),
        sequences=3,
        length=8,
    )


def test_frame_has_a_row_per_number(result):
    frame = result.to_frame()
    assert len(frame) == 4 * (2 * (4 + 3) + 1) + 2 * 8
    place = "layer == 0 and feature == 'cosine' and average == 'rows'"
    assert frame.query(f"{place} and quantity == 'mean'").value.item() == result.scores[2].rows_mean
    assert frame.query(f"{place} and sample == 1").value.item() == result.scores[2].rows[1]
    values = frame.query("quantity == 'variance' and layer == -1").value
    np.testing.assert_array_equal(values, result.variance[0].values)


def test_summary_headlines_the_chosen_average(result):
    shown = result.summary()
    assert shown["checkpoint · hook_embed"] == result.scores[0].triples_mean
    assert (shown["sequences"], shown["length"]) == (3, 8)


def test_json_is_strict(result):
    shown = json.loads(result.to_json())
    assert shown["scores"][0]["head"] is None
    assert len(shown["similarity"][0]["matrix"]) == 8
