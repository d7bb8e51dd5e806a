from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from posprobe.analysis import mlp_probe, mlp_stack
from posprobe.analysis.mlp_probe import ProbeRows, fit_mlp_probes
from posprobe.analysis.mlp_training import MlpTraining
from posprobe.pipeline.sweeping.job import threads

SHORT = MlpTraining(epochs=3, batch=64)


def planted(rng, tokens, *, places=2, d=6, dtype=np.float64):
    """States that wind with the position, noisier from place to place; two number targets."""
    position = rng.integers(0, 40, tokens)
    angle = position * 0.07
    code = np.stack([np.cos(angle), np.sin(angle), *rng.standard_normal((d - 2, tokens))], axis=1)
    noise = rng.standard_normal((places, tokens, d)) * 0.3 * np.arange(places)[:, None, None]
    targets = np.stack([position, np.cos(3 * angle)], axis=1)
    return ProbeRows(
        states=torch.tensor((code + noise).astype(dtype)),
        targets=torch.tensor(targets.astype(dtype)),
    )


def part(rows, *, place=slice(None), target=slice(None)):
    return ProbeRows(states=rows.states[place], targets=rows.targets[..., target])


@pytest.fixture
def sides(rng):
    return SimpleNamespace(
        train=planted(rng, 200), validation=planted(rng, 60), test=planted(rng, 50)
    )


def fit(sides, *, kind="mlp-small", seeds=(0,), training=SHORT, classes=None):
    return fit_mlp_probes(
        sides.train, sides.validation, kind=kind, seeds=seeds, training=training, classes=classes
    )


@pytest.mark.parametrize("kind", ["mlp", "mlp-small"])
def test_company_makes_no_difference(sides, kind):
    together = fit(sides, kind=kind, seeds=(3, 8)).predict(sides.test.states)
    assert together.shape == (2, 2, 50, 2)
    for seed, place, target in [(0, 1, 0), (1, 0, 1)]:
        own = {"place": slice(place, place + 1), "target": slice(target, target + 1)}
        alone = SimpleNamespace(
            train=part(sides.train, **own), validation=part(sides.validation, **own)
        )
        probes = fit(alone, kind=kind, seeds=((3, 8)[seed],))
        found = probes.predict(sides.test.states[own["place"]])
        np.testing.assert_allclose(found[0, 0, :, 0], together[seed, place, :, target], atol=1e-5)


def test_groups_and_blocks_make_no_difference(sides, monkeypatch):
    whole = fit(sides, seeds=(0, 1)).predict(sides.test.states)
    monkeypatch.setattr(mlp_probe, "_CACHED", 3 * (6 * 64 + 64))
    monkeypatch.setattr(mlp_stack, "BLOCK", 7 * 6)
    with threads(1):
        probes = fit(sides, seeds=(0, 1))
    assert [len(stack.seed) for stack in probes.stacks] == [3, 3, 2]
    np.testing.assert_allclose(probes.predict(sides.test.states), whole, atol=1e-9)


def test_stacks_are_as_many_as_threads_can_share():
    sizes = [
        [len(group) for group in mlp_probe._groups((2, 3, 2), most, threads=threads)]
        for most, threads in ((100, 1), (100, 4), (2, 4), (5, 1), (100, 16))
    ]
    assert sizes == [[12], [3] * 4, [2] * 4 + [1] * 4, [4] * 3, [1] * 12]


def test_threads_make_no_difference_to_the_last_bit(rng):
    sides = SimpleNamespace(
        train=planted(rng, 300, dtype=np.float32), validation=planted(rng, 90, dtype=np.float32)
    )
    weights = []
    for count in (1, 2, 3):
        with threads(count):
            stacks = fit(sides, kind="mlp", seeds=(0, 1)).stacks
            weights.append(torch.cat([stack.networks.weights[1] for stack in stacks]))
    assert len(weights[0]) == 8
    assert all(torch.equal(own, weights[0]) for own in weights[1:])


@pytest.mark.parametrize(("kind", "d"), [("mlp", 7), ("mlp-small", 7), ("mlp-small", 1)])
def test_company_makes_no_difference_to_the_last_bit(rng, kind, d):
    """In float32, sums in another order would tell, and training would let it grow."""
    whole = (planted(rng, n, places=5, d=7, dtype=np.float32) for n in (300, 90))
    train, validation = (replace(side, states=side.states[..., :d]) for side in whole)

    def trained(places, targets, seeds):
        sides = (part(side, place=places, target=targets) for side in (train, validation))
        training = MlpTraining(learning_rate=0.02, batch=64, epochs=12, patience=2)
        probes = fit_mlp_probes(*sides, kind=kind, seeds=seeds, training=training)
        return probes.predict(validation.states[places])

    together = trained(slice(None), slice(None), (0, 1))
    for place in (0, 4):
        some = trained(slice(place, place + 1), slice(None), (0, 1))
        np.testing.assert_allclose(some[:, 0], together[:, place], rtol=0, atol=1e-7)
    lone = trained(slice(2, 3), slice(1, 2), (1,))
    np.testing.assert_allclose(lone[0, 0, :, 0], together[1, 2, :, 1], rtol=0, atol=1e-7)


def test_networks_leave_when_they_are_done(sides):
    left = []
    training = MlpTraining(learning_rate=0.03, batch=16, epochs=200, patience=3)
    fit_mlp_probes(
        sides.train,
        sides.validation,
        kind="mlp-small",
        seeds=(0, 1, 2),
        training=training,
        done=left.append,
    )
    assert sum(left) == 12
    assert len(left) > 2
    short = []
    fit_mlp_probes(
        sides.train,
        sides.validation,
        kind="mlp-small",
        seeds=(0,),
        training=SHORT,
        done=short.append,
    )
    assert sum(short) == 4


def reference(sides, *, place, target, seed, widths, training):
    """One network trained in the plainest way, from the same first weights."""
    network = nn.Sequential()
    start = mlp_probe.start_networks(widths, [seed], torch.zeros(0, dtype=torch.float64))
    for layer, (weight, bias) in enumerate(zip(start.weights, start.biases, strict=True)):
        if layer:
            network.append(nn.ReLU())
        network.append(nn.Linear(*weight.shape[1:], dtype=torch.float64))
        network[-1].weight.data, network[-1].bias.data = weight[0].T.clone(), bias[0, 0].clone()
    x, y = sides.train.states[place], sides.train.targets[:, target]
    mean, sd = x.mean(0), x.std(0, correction=0)
    offset, spread = y.mean(), y.std(correction=0)

    def loss(states, targets):
        guess = network((states - mean) / sd)[:, 0]
        return nn.functional.mse_loss(guess, (targets - offset) / spread)

    optimiser = torch.optim.Adam(network.parameters(), lr=training.learning_rate)
    generator = torch.Generator().manual_seed(seed)
    best, waited, guess = np.inf, 0, torch.empty(0)
    while waited < training.patience:
        for rows in torch.randperm(len(x), generator=generator).split(training.batch):
            optimiser.zero_grad()
            loss(x[rows], y[rows]).backward()
            optimiser.step()
        with torch.no_grad():
            now = loss(sides.validation.states[place], sides.validation.targets[:, target])
            waited += 1
            if now < best:
                best, waited = now, 0
                guess = network((sides.test.states[place] - mean) / sd)[:, 0] * spread + offset
    return guess


def test_stops_where_each_network_was_best(sides):
    """Few tokens, fast learning: some networks are done before others."""
    sides.train = ProbeRows(states=sides.train.states[:, :40], targets=sides.train.targets[:40])
    training = MlpTraining(learning_rate=0.03, batch=16, epochs=200, patience=3)
    found = fit(sides, seeds=(5,), training=training).predict(sides.test.states)
    for place in range(2):
        for target in range(2):
            expected = reference(
                sides, place=place, target=target, seed=5, widths=(6, 64, 1), training=training
            )
            np.testing.assert_allclose(found[0, place, :, target], expected, atol=1e-5)


@pytest.mark.parametrize(("kind", "rate"), [("mlp", 0.002), ("mlp-small", 0.02)])
def test_reads_what_a_line_cannot(rng, kind, rate):
    train, validation, test = (planted(rng, n, places=1, dtype=np.float32) for n in (600, 100, 100))
    training = MlpTraining(learning_rate=rate, epochs=12, batch=64)
    probes = fit_mlp_probes(train, validation, kind=kind, seeds=(0,), training=training)
    truth = test.targets.numpy()
    error = ((probes.predict(test.states)[0, 0] - truth) ** 2).mean(axis=0)
    assert (1 - error / truth.var(axis=0) > 0.95).all()


def test_random_states_are_at_chance(rng):
    train, validation, test = (planted(rng, n, places=1) for n in (200, 100, 200))
    deaf = [
        ProbeRows(states=torch.tensor(rng.standard_normal(side.states.shape)), targets=side.targets)
        for side in (train, validation, test)
    ]
    guess = fit_mlp_probes(*deaf[:2], kind="mlp-small", seeds=(0,)).predict(deaf[2].states)
    truth = test.targets.numpy()
    error = ((guess[0, 0] - truth) ** 2).mean(axis=0)
    assert (1 - error / truth.var(axis=0) < 0.05).all()


def test_classes(rng):
    train, validation, test = (
        ProbeRows(states=side.states, targets=(side.targets[:, 0] // 14).long())
        for side in (planted(rng, n) for n in (800, 200, 200))
    )
    probes = fit_mlp_probes(
        train,
        validation,
        kind="mlp-small",
        seeds=(0, 1),
        classes=4,
        training=MlpTraining(learning_rate=0.01, epochs=10),
    )
    guess = probes.predict(test.states)
    assert guess.shape == (2, 2, 200, 1)
    assert guess.dtype == np.int64
    right = (guess[..., 0] == test.targets.numpy()).mean(axis=2)
    assert (right[:, 0] > 0.9).all()
    assert (right[:, 1] < right[:, 0]).all()


def test_constant_features_and_targets_do_no_harm(sides):
    for side in vars(sides).values():
        side.states[..., 2] = 7.3
        side.targets[:, 1] = 0.1
    probes = fit(sides, training=MlpTraining(learning_rate=0.01, epochs=10))
    sides.test.states[..., 2] = 1e6
    guess = probes.predict(sides.test.states)
    assert np.isfinite(guess).all()
    np.testing.assert_allclose(guess[..., 1], 0.1, atol=0.3)


def test_half_precision_states_train_in_float32(sides):
    halves = SimpleNamespace(
        **{
            name: ProbeRows(states=side.states.bfloat16(), targets=side.targets.float())
            for name, side in vars(sides).items()
        }
    )
    probes = fit(halves)
    assert probes.stacks[0].networks.weights[0].dtype == torch.float32
    assert np.isfinite(probes.predict(halves.test.states)).all()


def test_seeds_differ_and_repeat(sides):
    first, again = (fit(sides, seeds=(0, 1)).predict(sides.test.states) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert abs(first[0] - first[1]).max() > 1e-3


def test_trained_networks_hold_no_gradients(sides):
    for stacked in fit(sides).stacks[0].networks.parameters():
        assert not stacked.requires_grad
        assert stacked.grad is None
