"""How fast networks of all layers learn side by side: `python -m tests.benchmarks.networks`.

Beside them, the same networks are trained one after the other as plain PyTorch modules, with the
same tokens in the same order, the same Adam and the same look at the validation tokens.
"""

from collections.abc import Iterator

import numpy as np
import torch
from torch import nn

from posprobe.analysis.mlp_networks import start_networks
from posprobe.analysis.mlp_probe import HIDDEN, MlpKind, ProbeRows, fit_mlp_probes
from posprobe.analysis.mlp_training import MlpTraining
from tests.benchmarks.lines import Line, run, times_better
from tests.benchmarks.measuring import seconds

LAYERS, TARGETS, SEEDS, WIDTH, TRAIN, WATCHED = 12, 2, (0, 1), 96, 1024, 256
TRAINING = MlpTraining(epochs=3)


def lines() -> Iterator[Line]:
    """Measure."""
    train, watched = (_rows(tokens, seed) for seed, tokens in enumerate((TRAIN, WATCHED)))
    for kind in HIDDEN:
        together, alone = seconds(
            lambda kind=kind: _together(train, watched, kind),
            lambda kind=kind: _one_by_one(train, watched, kind),
            repeats=3,
        )
        found, expected = _together(train, watched, kind), _one_by_one(train, watched, kind)
        # In float32 the order of sums makes a difference, which training lets grow.
        assert np.abs(found - expected).mean() < 1e-3 * np.abs(expected).mean()
        count = LAYERS * TARGETS * len(SEEDS)
        what = f"{count} {kind} probes side by side, beside one module after the other"
        yield times_better(what, together, alone, 4)


def _rows(tokens: int, seed: int) -> ProbeRows:
    generator = torch.Generator().manual_seed(seed)
    states = torch.randn(LAYERS, tokens, WIDTH, generator=generator)
    return ProbeRows(states=states, targets=states[0, :, :TARGETS] ** 2 + states[1, :, :TARGETS])


def _together(train: ProbeRows, watched: ProbeRows, kind: MlpKind) -> np.ndarray:
    probes = fit_mlp_probes(train, watched, kind=kind, seeds=SEEDS, training=TRAINING)
    return probes.predict(watched.states)


def _one_by_one(train: ProbeRows, watched: ProbeRows, kind: MlpKind) -> np.ndarray:
    guesses = np.empty((len(SEEDS), LAYERS, WATCHED, TARGETS))
    scale = _scale(train.targets)
    truth, other = ((rows.targets - scale[0]) / scale[1] for rows in (train, watched))
    for seed in SEEDS:
        for layer in range(LAYERS):
            mean, sd = _scale(train.states[layer])
            own, seen = ((rows.states[layer] - mean) / sd for rows in (train, watched))
            for target in range(TARGETS):
                network = _train(own, truth[:, target], seen, other[:, target], kind, seed)
                with torch.no_grad():
                    guess = network(seen)[:, 0] * scale[1][target] + scale[0][target]
                guesses[seed, layer, :, target] = guess.numpy()
    return guesses


def _scale(values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    sd, mean = torch.std_mean(values, dim=0, correction=0)
    return mean, sd


def _train(states, truth, seen, other, kind: MlpKind, seed: int) -> nn.Module:
    network = _module(kind, seed)
    adam = torch.optim.Adam(network.parameters(), lr=TRAINING.learning_rate)
    order = torch.Generator().manual_seed(seed)
    best, least = None, torch.inf
    for _ in range(TRAINING.epochs):
        for rows in torch.randperm(len(states), generator=order).split(TRAINING.batch):
            adam.zero_grad()
            ((network(states[rows])[:, 0] - truth[rows]) ** 2).mean().backward()
            adam.step()
        with torch.no_grad():
            loss = ((network(seen)[:, 0] - other) ** 2).mean().item()
        if loss < least:
            least = loss
            best = {name: part.clone() for name, part in network.state_dict().items()}
    network.load_state_dict(best)
    return network


def _module(kind: MlpKind, seed: int) -> nn.Module:
    """Make a network that starts as ours with this seed does."""
    widths = (WIDTH, *HIDDEN[kind], 1)
    ours = start_networks(widths, [seed], torch.zeros(1))
    layers: list[nn.Module] = []
    for weight, bias in zip(ours.weights, ours.biases, strict=True):
        layer = nn.Linear(weight.shape[1], weight.shape[2])
        layer.weight.data, layer.bias.data = weight[0].T.contiguous(), bias[0, 0].clone()
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


if __name__ == "__main__":
    run("networks", lines())
