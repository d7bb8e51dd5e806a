"""The batched probes against torch's own layers, optimiser and losses, one probe at a time."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from posprobe.analysis.holmes_adam import RATE, rate_factor
from posprobe.analysis.holmes_losses import CrossEntropy, SmoothL1, TwiceSoftmax
from posprobe.analysis.holmes_probe import BATCH, DROPOUT, EPOCHS, PATIENCE, train_probes

WIDTH, CLASSES = 12, 3


@pytest.fixture
def problem():
    """Vectors with classes that can half be told, and the same classes shuffled."""
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(CLASSES, WIDTH))
    labels = rng.integers(CLASSES, size=150)
    features = centres[labels] + rng.normal(size=(150, WIDTH)) * 1.5
    true, mixed = torch.from_numpy(labels), torch.from_numpy(rng.permutation(labels))
    return torch.from_numpy(features).float(), torch.stack([true, mixed])


def train(features, targets, *, seeds, loss=None, outputs=CLASSES, rows=100):
    train, dev = torch.arange(rows), torch.arange(rows, len(features))
    copies = targets.expand(len(seeds), -1, -1)
    return train_probes(
        features,
        train.expand(len(seeds), -1),
        copies[..., :rows],
        features[dev],
        copies[..., rows:],
        outputs=outputs,
        loss=loss or CrossEntropy(),
        seeds=seeds,
    )


def reference(features, target, *, seed, outputs, criterion, rows=100):
    """One probe by `nn.Linear`, autograd and `torch.optim.Adam`, with the same random numbers."""
    rng = np.random.default_rng(seed)
    width, bound = features.shape[1], 1 / math.sqrt(features.shape[1])
    drawn = torch.from_numpy(rng.uniform(-bound, bound, (outputs, width + 1))).float()
    layer = nn.Linear(width, outputs)
    with torch.no_grad():
        layer.weight.copy_(drawn[:, :width])
        layer.bias.copy_(drawn[:, width])
    steps = EPOCHS * math.ceil(rows / BATCH)
    optimizer = torch.optim.Adam(layer.parameters(), lr=RATE)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: rate_factor(k, steps=steps))
    best, kept, vain, epochs = math.inf, None, 0, 0
    while epochs < EPOCHS and vain < PATIENCE:
        epochs += 1
        order = torch.from_numpy(rng.permutation(rows))
        # Fewer rows than are drawn for at once: one draw an epoch.
        mask = torch.from_numpy(rng.random((rows, width), dtype=np.float32) >= DROPOUT)
        for start in range(0, rows, BATCH):
            batch = order[start : start + BATCH]
            x = features[batch] * mask[start : start + BATCH] / (1 - DROPOUT)
            optimizer.zero_grad()
            criterion(layer(x), target[batch]).backward()
            optimizer.step()
            schedule.step()
        with torch.no_grad():
            loss = float(criterion(layer(features[rows:]), target[rows:]))
        if loss < best:
            best, vain = loss, 0
            kept = torch.cat([layer.weight.detach().clone(), layer.bias.detach()[:, None]], dim=1)
        else:
            vain += 1
    return kept, best, epochs


def test_every_probe_is_the_one_that_torch_trains_alone(problem):
    features, targets = problem
    probes = train(features, targets, seeds=(0, 7))
    for place, seed in enumerate((0, 7)):
        for variant in range(2):
            kept, best, epochs = reference(
                features,
                targets[variant],
                seed=seed,
                outputs=CLASSES,
                criterion=nn.CrossEntropyLoss(),
            )
            torch.testing.assert_close(
                probes.weights[place, variant], kept[:, :-1], atol=1e-5, rtol=1e-4
            )
            torch.testing.assert_close(
                probes.bias[place, variant], kept[:, -1], atol=1e-5, rtol=1e-4
            )
            assert float(probes.losses[place, variant]) == pytest.approx(best, rel=1e-5)
            assert int(probes.epochs[place, variant]) == epochs


def test_seeds_together_and_one_by_one_are_the_same(problem):
    features, targets = problem
    together = train(features, targets, seeds=(0, 1, 2, 3, 4))
    for place in range(5):
        alone = train(features, targets, seeds=(place,))
        torch.testing.assert_close(alone.weights[0], together.weights[place], atol=1e-6, rtol=1e-5)
        said = alone.outputs(features)[0].argmax(1), together.outputs(features)[place].argmax(1)
        assert torch.equal(*said)
        assert torch.equal(alone.epochs[0], together.epochs[place])
    assert len({float(loss) for loss in together.losses[:, 0]}) == 5


def test_a_probe_stops_by_itself_while_others_go_on():
    """The first seed's dev samples contradict what it learns; the second's agree."""
    rng = np.random.default_rng(0)
    labels = torch.from_numpy(rng.integers(2, size=200))
    features = torch.from_numpy(rng.normal(size=(200, 8))).float()
    features[:, 0] += 4 * labels
    rows = torch.arange(120).expand(2, -1)
    targets = labels[:120].expand(2, 1, -1)
    dev = torch.stack([1 - labels[120:], labels[120:]])[:, None]
    probes = train_probes(
        features,
        rows,
        targets,
        features[120:],
        dev,
        outputs=2,
        loss=CrossEntropy(),
        seeds=(0, 1),
    )
    assert int(probes.epochs[0, 0]) < EPOCHS == int(probes.epochs[1, 0])
    alone = train_probes(
        features,
        rows[:1],
        targets[:1],
        features[120:],
        dev[:1],
        outputs=2,
        loss=CrossEntropy(),
        seeds=(0,),
    )
    assert torch.equal(alone.epochs[0], probes.epochs[0])
    torch.testing.assert_close(alone.weights[0], probes.weights[0])


def test_numbers_are_learned_as_torch_learns_them(problem):
    features, _ = problem
    target = features @ torch.linspace(-1, 1, WIDTH) + 3
    probes = train(features, target[None], seeds=(5,), outputs=1, loss=SmoothL1())
    kept, best, epochs = reference(
        features,
        target[:, None],
        seed=5,
        outputs=1,
        criterion=nn.SmoothL1Loss(),
    )
    torch.testing.assert_close(probes.weights[0, 0], kept[:, :-1], atol=1e-5, rtol=1e-4)
    assert float(probes.losses[0, 0]) == pytest.approx(best, rel=1e-5)
    assert int(probes.epochs[0, 0]) == epochs


@pytest.mark.parametrize("loss", [CrossEntropy(), TwiceSoftmax(), SmoothL1()])
def test_slopes_are_those_of_autograd(loss):
    numbers = isinstance(loss, SmoothL1)
    torch.manual_seed(1)
    outputs = torch.randn(2, 3, 1 if numbers else 4, 6, dtype=torch.float64) * 2
    outputs.requires_grad_()
    targets = torch.randn(2, 3, 6, dtype=torch.float64) if numbers else torch.randint(4, (2, 3, 6))
    loss.values(outputs, targets).sum().backward()
    torch.testing.assert_close(loss.slopes(outputs.detach(), targets), outputs.grad)


def test_the_benchmarks_loss_is_cross_entropy_of_probabilities():
    outputs, targets = torch.randn(5, 4), torch.tensor([0, 1, 4, 2])
    expected = nn.CrossEntropyLoss(reduction="none")(outputs.T.softmax(1), targets)
    torch.testing.assert_close(TwiceSoftmax().values(outputs, targets), expected)
