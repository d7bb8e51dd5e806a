"""Two halves of a corpus, summed apart and merged, are the whole."""

import copy

import numpy as np
import pytest
import torch

from posprobe.analysis.adjacency_sums import AdjacencySums
from posprobe.analysis.class_scores import ClassScores
from posprobe.analysis.head_sums import HeadSums
from posprobe.analysis.logit_parts import LogitPartSums
from posprobe.analysis.number_scores import NumberScores
from posprobe.analysis.position_means import PositionMeans
from posprobe.analysis.ridge_sums import RidgeSums
from posprobe.analysis.state_parts import StateSums
from posprobe.analysis.token_identity import TokenMeans
from posprobe.core.cache import Cache
from posprobe.core.errors import CorpusError
from posprobe.core.result import plain

DOCUMENTS, LENGTH = 12, 9
RNG = np.random.default_rng(0)
TOKEN_DOCUMENT = RNG.integers(0, DOCUMENTS, 300)
# The halves begin with other means, about which some sums are taken.
NUMBERS = RNG.standard_normal((300, 2)) + 5.0 + 3.0 * (TOKEN_DOCUMENT % 2)[:, None]
GUESSES = NUMBERS + RNG.standard_normal((3, 300, 2))
IDS = RNG.integers(0, 20, 300)
CLASSES = RNG.integers(0, 4, (4, 300))
STATES = torch.tensor(RNG.standard_normal((DOCUMENTS, LENGTH, 6)))
ENDS = RNG.integers(5, LENGTH + 1, DOCUMENTS)
MASK = torch.arange(LENGTH) < torch.tensor(ENDS)[:, None]
TERMS = {
    name: torch.tensor(RNG.standard_normal((DOCUMENTS, 2, LENGTH, LENGTH)))
    for name in ("ap", "sem", "rp")
}


def positions(chosen):
    means = PositionMeans(6)
    means.update(STATES[chosen], MASK[chosen])
    return means


def heads(chosen):
    sums = HeadSums(2, 2, tuple(TERMS), groups=4)
    length = int(ENDS[chosen].max()) if len(chosen) else 0  # the halves differ in their longest
    for layer in range(2 * bool(len(chosen))):
        block = {k: (layer + 1) * t[chosen, :, :length, :length] for k, t in TERMS.items()}
        mask = MASK[chosen, :length]
        pairs = mask[:, None] & mask[:, :, None]
        sums.update(layer, block, pairs, torch.tensor(chosen))
    return sums


def adjacency(chosen):
    sums = AdjacencySums(condition="checkpoint", site="blocks.0.hook_resid_post", layer=0)
    if len(chosen):
        sums.update(STATES[chosen], torch.tensor(chosen))
    return sums


def states(chosen):
    sums = StateSums(groups=4)
    if len(chosen):
        sums.update(STATES[chosen] + torch.arange(LENGTH)[:, None], torch.tensor(chosen))
    return sums


def logits(chosen):
    allowed = torch.ones(LENGTH, LENGTH, dtype=torch.bool)
    sums = LogitPartSums(2, 2, allowed, terms=tuple(TERMS), groups=4)
    place = torch.arange(LENGTH) * torch.tensor([[[1.0]], [[0.1]]])
    for layer in range(2 * bool(len(chosen))):
        terms = {name: term[chosen] + (layer + 1) * place for name, term in TERMS.items()}
        whole = torch.stack(list(terms.values())).sum(dim=0)
        sums.update(layer, whole, torch.tensor(chosen), terms)
    return sums


def tokens(chosen):
    means = TokenMeans(folds=4, vocabulary=20, targets=2)
    own = np.isin(TOKEN_DOCUMENT, chosen)
    means.update(IDS[own], NUMBERS[own], TOKEN_DOCUMENT[own] % 4)
    return means


def numbers(chosen):
    scores = NumberScores(documents=DOCUMENTS, spans=np.array([4.0, 5.0]), seeds=3)
    own = np.isin(TOKEN_DOCUMENT, chosen)
    scores.update(TOKEN_DOCUMENT[own], NUMBERS[own], GUESSES[:, own])
    return scores


def classes(chosen):
    scores = ClassScores(documents=DOCUMENTS, classes=4, seeds=3)
    own = np.isin(TOKEN_DOCUMENT, chosen)
    scores.update(TOKEN_DOCUMENT[own], CLASSES[0, own], CLASSES[1:, own])
    return scores


def ridge(chosen):
    sums = RidgeSums(folds=4, width=3, targets=2)
    own = torch.tensor(np.isin(TOKEN_DOCUMENT, chosen))
    folds = torch.tensor(TOKEN_DOCUMENT)[own] % 4
    sums.update(torch.tensor(GUESSES[:, :, 0].T)[own], torch.tensor(NUMBERS)[own], folds)
    return sums


def adjacency_result(sums):
    return [*sums.scores(seed=0), sums.similarity(), sums.variance()]


KINDS = {
    "positions": (positions, lambda sums: sums.result()),
    "heads": (heads, lambda sums: sums.result(checkpoint="x")),
    "adjacency": (adjacency, adjacency_result),
    "states": (states, lambda sums: sums.result(site="blocks.0.hook_resid_post", layer=0)),
    "logits": (logits, lambda sums: sums.result()),
    "tokens": (tokens, lambda sums: vars(sums.fit())),
    "numbers": (numbers, lambda scores: [scores.undefined(), scores.scores(seed=0)]),
    "classes": (classes, lambda scores: [scores.undefined(), scores.scores(seed=0)]),
    "ridge": (ridge, lambda sums: sums.fit()),
}
WRITTEN = ("positions", "heads", "adjacency", "states", "logits", "numbers", "classes", "ridge")
"""Those that can be written down and read back."""


def flat(value):
    if isinstance(value, dict):
        return [item for key in value for item in (key, *flat(value[key]))]
    if isinstance(value, list):
        return [item for part in value for item in flat(part)]
    return [value]


@pytest.mark.parametrize("kind", KINDS)
def test_merged_halves_are_the_whole(kind):
    make, result = KINDS[kind]
    everything = np.arange(DOCUMENTS)
    by = everything % 2 == 0
    whole = flat(plain(result(make(everything))))
    assert sum(isinstance(item, float) for item in whole) > 5
    first, second, empty = (make(everything[chosen]) for chosen in (by, ~by, by & ~by))
    kept = copy.deepcopy(second)
    first.merge(second)
    first.merge(make(everything[:0]))
    empty.merge(first)
    for merged in (first, empty):
        found = flat(plain(result(merged)))
        assert len(found) == len(whole)
        for ours, theirs in zip(found, whole, strict=True):
            if isinstance(theirs, float):
                # Sums of float64 in another order, and no number here is a small difference.
                np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=0)
            else:
                assert ours == theirs
    first.merge(second)
    left, before = (flat(plain(result(sums))) for sums in (second, kept))
    np.testing.assert_equal(left, before, "merging changed the half that was added")


def test_sequences_of_other_lengths_do_not_merge():
    first, second = adjacency(np.arange(3)), adjacency(np.arange(0))
    second.update(STATES[:2, :5], torch.arange(2))
    with pytest.raises(CorpusError, match="sequences of 5 tokens after some of 9"):
        first.merge(second)


@pytest.mark.parametrize("kind", WRITTEN)
def test_sums_from_a_file_are_the_sums(kind, tmp_path):
    make, result = KINDS[kind]
    everything, cache = np.arange(DOCUMENTS), Cache(tmp_path)
    for name, chosen in {"half": everything[::2], "nothing": everything[:0]}.items():
        cache.save_arrays(kind, {}, name, make(chosen).arrays())
    half, nothing, read, empty = (make(everything[:0]) for _ in range(4))
    half.merge(make(everything[::2]))
    read.restore(cache.load_arrays(kind, {}, "half"))
    empty.restore(cache.load_arrays(kind, {}, "nothing"))
    rest = make(everything[1::2])
    for sums in (half, nothing, read, empty):
        sums.merge(rest)
    for found, expected in ((read, half), (empty, nothing)):
        np.testing.assert_equal(flat(plain(result(found))), flat(plain(result(expected))))
