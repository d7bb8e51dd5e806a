"""Scores of data sets with a known answer, and the codelength."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from scipy.stats import pearsonr
from sklearn.metrics import f1_score

from posprobe.analysis.holmes_codelength import online_code, portion_sizes
from posprobe.analysis.holmes_losses import CrossEntropy, SmoothL1, TwiceSoftmax
from posprobe.analysis.holmes_probe import train_probes
from posprobe.analysis.holmes_score import score_dataset

SEEDS = (0, 1, 2)


def planted(n=800, *, classes=2, gap=1.0, width=64, seed=0):
    """Vectors around one centre per class; half of them to train on."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(classes, size=n)
    centres = gap * rng.normal(size=(classes, width))
    features = torch.from_numpy(centres[labels] + rng.normal(size=(n, width))).float()
    return features, labels, np.repeat([0, 1, 2], [n // 2, n // 4, n - n // 2 - n // 4])


def test_separable_classes_score_one_and_shuffled_ones_chance():
    features, labels, split = planted()
    outcome = score_dataset(features, labels, split, kind="class", seeds=SEEDS)
    assert outcome.by_seed == (1.0, 1.0, 1.0)
    assert 0.25 < outcome.shuffled < 0.7
    assert outcome.undefined is None


def test_random_labels_score_chance():
    features, labels, split = planted(gap=0.0)
    outcome = score_dataset(features, labels, split, kind="class", seeds=SEEDS)
    assert 0.35 < np.mean(outcome.by_seed) < 0.65


@pytest.mark.parametrize(("exact", "loss"), [(False, CrossEntropy()), (True, TwiceSoftmax())])
def test_macro_f1_is_that_of_scikit_learn(exact, loss):
    features, labels, split = planted(gap=0.3, classes=3)
    outcome = score_dataset(features, labels, split, kind="class", seeds=(4,), exact=exact)
    said = _probe(features, torch.from_numpy(labels), split, outputs=3, loss=loss)
    expected = f1_score(labels[split == 2], said.argmax(0).numpy(), average="macro")
    assert outcome.by_seed == (pytest.approx(expected),)
    assert 0.3 < expected < 0.99


@pytest.mark.parametrize("exact", [False, True])
def test_pearson_is_that_of_scipy(exact):
    features, _, split = planted(gap=0.3)
    numbers = features.double().numpy() @ np.linspace(0, 0.2, 64) + 1
    outcome = score_dataset(features, numbers, split, kind="number", seeds=(4,), exact=exact)
    known = numbers[split == 0]
    learned = numbers if exact else (numbers - known.mean()) / known.std()
    target = torch.from_numpy(learned).float()
    (said,) = _probe(features, target, split, outputs=1, loss=SmoothL1()).numpy()
    assert outcome.by_seed[0] == pytest.approx(pearsonr(numbers[split == 2], said)[0], abs=1e-6)
    assert outcome.by_seed[0] > 0.6
    assert abs(outcome.shuffled) < 0.6


def test_the_unit_of_a_number_does_not_matter():
    features, _, split = planted(gap=0.3)
    numbers = features.double().numpy() @ np.linspace(0, 0.2, 64)
    scores = [
        score_dataset(features, numbers * unit + origin, split, kind="number", seeds=(0,)).by_seed
        for unit, origin in ((1, 0), (100, 2000))
    ]
    assert scores[0][0] == pytest.approx(scores[1][0], abs=1e-4)


def test_small_states_are_learned_when_they_are_scaled():
    features, labels, split = planted(gap=0.5)
    small = features * 0.01 + 3
    small[:, 0] = 1.0
    options = {"kind": "class", "seeds": (0,)}
    plain = score_dataset(small, labels, split, **options).by_seed[0]
    scaled = score_dataset(small, labels, split, **options, scale=True).by_seed[0]
    assert scaled > 0.95 > plain
    known = features[split == 0].double()
    z = ((features.double() - known.mean(0)) / known.std(0, correction=0)).float()
    z[:, 0] = 0.0
    assert score_dataset(z, labels, split, **options).by_seed[0] == pytest.approx(scaled, abs=0.01)


def _probe(features, target, split, *, outputs, loss=None):
    rows = torch.from_numpy(np.flatnonzero(split == 0))[None]
    dev = torch.from_numpy(split == 1)
    probes = train_probes(
        features,
        rows,
        target[rows][:, None],
        features[dev],
        target[dev][None, None],
        outputs=outputs,
        loss=loss or CrossEntropy(),
        seeds=(4,),
    )
    return probes.outputs(features[torch.from_numpy(split == 2)])[0, 0]


@pytest.mark.parametrize(
    ("part", "reason"),
    [(0, "all training samples have the same label"), (2, "all test samples have the same label")],
)
def test_labels_that_are_all_alike_have_no_score_but_a_reason(part, reason):
    features, labels, split = planted()
    labels = np.where(split == part, 1, labels)
    outcome = score_dataset(features, labels, split, kind="class", seeds=SEEDS)
    assert outcome.undefined == reason
    assert np.isnan(outcome.by_seed).all()
    assert math.isnan(outcome.shuffled)


def test_an_empty_split_has_a_reason():
    features, labels, split = planted()
    outcome = score_dataset(features, labels, np.minimum(split, 1), kind="class", seeds=SEEDS)
    assert outcome.undefined == "no test samples are left"


def test_a_probe_that_says_the_same_of_all_has_no_correlation():
    _, labels, split = planted()
    outcome = score_dataset(torch.zeros(800, 4), labels + 0.5, split, kind="number", seeds=(0,))
    assert outcome.undefined == "a probe says the same of all test samples"


def test_what_is_easy_to_read_takes_few_bits_and_what_is_not_there_takes_all():
    features, labels, split = planted()
    easy = score_dataset(features, labels, split, kind="class", seeds=SEEDS, mdl=True).codelength
    none, mixed, _ = planted(gap=0.0)
    hard = score_dataset(none, mixed, split, kind="class", seeds=SEEDS, mdl=True).codelength
    assert easy.uniform_bits == hard.uniform_bits == 400.0
    assert easy.compression > 1.5
    assert hard.compression < 1.1
    assert easy.compression == pytest.approx(400 / np.mean(easy.by_seed))
    assert score_dataset(features, labels + 0.5, split, kind="number", seeds=(0,), mdl=True).note


def test_the_code_is_the_sum_over_portions():
    features, labels, split = planted(n=120, gap=1.0)
    target = torch.from_numpy(labels)
    train, dev = (torch.from_numpy(np.flatnonzero(split == part)) for part in (0, 1))
    code = online_code(
        features[train],
        target[train],
        features[dev],
        target[dev],
        classes=2,
        loss=CrossEntropy(),
        seeds=(9,),
    )
    order = torch.from_numpy(np.random.default_rng([9, 2]).permutation(60))
    sizes = [1, 3, 7, 15, 30, 60]
    assert portion_sizes(60) == sizes
    bits = 1.0
    for known, sent in pairwise(sizes):
        rows = train[order[:known]]
        probes = train_probes(
            features,
            rows[None],
            target[rows][None, None],
            features[dev],
            target[dev][None, None],
            outputs=2,
            loss=CrossEntropy(),
            seeds=(9,),
        )
        new = train[order[known:sent]]
        p = probes.outputs(features[new])[0, 0].double().softmax(0)
        bits -= float(p[target[new], torch.arange(len(new))].log2().sum())
    assert code.bits == pytest.approx(bits, rel=1e-6)
