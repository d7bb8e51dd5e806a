import numpy as np
import torch

from posprobe.analysis.probe_features import read_feature

LENGTHS = (5, 3, 7)


def states_and_mask(width=4):
    rng = np.random.default_rng(0)
    states = torch.from_numpy(rng.normal(size=(3, 8, width))).to(torch.float32)
    mask = torch.arange(8) < torch.tensor(LENGTHS)[:, None]
    mask[:, 0] = False
    return states, mask


def test_features_against_a_plain_count():
    states, mask = states_and_mask()
    cosines, norms, rows = [], [], []
    for document, length in zip(states.double().numpy(), LENGTHS, strict=True):
        last = document[length - 1]
        for x in document[1:length]:
            rows.append(x)
            norms.append(np.sqrt(sum(v * v for v in x)))
            cosines.append(x @ last / np.sqrt(x @ x) / np.sqrt(last @ last))
    found = {name: read_feature(states, mask, name) for name in ("state", "cosine", "norm")}
    np.testing.assert_allclose(found["cosine"][:, 0], cosines, rtol=1e-12)
    np.testing.assert_allclose(found["norm"][:, 0], norms, rtol=1e-12)
    np.testing.assert_array_equal(found["state"], np.array(rows, dtype=np.float32))
    joined = read_feature(states, mask, "norm+state+cosine")
    parts = [found["norm"], found["state"].double(), found["cosine"]]
    assert torch.equal(joined, torch.cat(parts, dim=1))


def test_the_last_counted_token_has_cosine_one_and_a_zero_state_zero():
    states, mask = states_and_mask()
    states[0, 2] = 0
    cosine = read_feature(states, mask, "cosine")[:, 0]
    ends = np.cumsum([length - 1 for length in LENGTHS]) - 1
    np.testing.assert_allclose(cosine[ends], 1)
    assert cosine[1] == 0
    # What is not counted is not looked at.
    states[0, 6] = torch.inf
    assert torch.isfinite(read_feature(states, mask, "cosine+norm")).all()
