"""Results and records of trainings, with invented numbers."""

from dataclasses import replace

import numpy as np

from posprobe.analysis.manifold import ManifoldResult
from posprobe.core.provenance import CheckpointSource
from tests.figures import samples

STEPS = (240, 480, 800, 1200, 2000, 3200, 4800, 6400, 8000)


def forming_result(names=("dstg-tiny", "ap-tiny"), steps=STEPS, **changes):
    """Tables at several steps of a training, as `--steps all` gives them; the last is its end."""
    return ManifoldResult(
        manifolds=tuple(
            forming_step(name, index, step, end=step == steps[-1], run=run, **changes)
            for run, name in enumerate(names)
            for index, step in enumerate(steps)
        )
    )


def forming_step(name, index, step, end, run=0, **changes):
    fields = {
        "checkpoint": f"checkpoints/{name}" + ("" if end else f"/step-{step:06d}"),
        "noise": 1.6 / (1 + index) + 0.7 * run,
        "dimensions": 24 if run == 0 else 48,
        "seed": run,
        "step": step,
        "loss": 2.1 + 0.3 * run + 5 * np.exp(-step / 1500),
    }
    label = name if end else f"{name}, step {step:,}"
    return samples.manifold(label, **(fields | changes))


def trained(recipe="dstg-tiny", until=8000, test=("loss", "accuracy"), shift=0.0):
    """What a training's records hold, as far as pages read them."""
    steps = np.arange(40, until + 1, 40)
    loss = shift + 2 + 5 * np.exp(-steps / 1500)
    tests = {"loss": loss + 0.1, "accuracy": 0.8 - loss / 12, "exact_match": 1 / (1 + loss**4)}
    held_out = [
        [int(step), {name: float(tests[name][index]) for name in test}]
        for index, step in enumerate(steps)
        if step % 1000 == 0 or step == until
    ]
    return {
        "recipe": recipe,
        "command": f"posprobe train {recipe} --out checkpoints/{recipe}",
        "overrides": [],
        "seed": 0,
        "data": {"name": "docstrings", "sha256": "c4" * 32},
        "longest_document": 64,
        "steps": until,
        "tokens_seen": 2048 * until,
        "evaluation": held_out[-1][1] if held_out else {},
        "curve": [[int(step), float(value)] for step, value in zip(steps, loss, strict=True)],
        "evaluations": held_out,
        "config": {"lr": 0.002, "model": {"position": "dstg", "n_layers": 4}},
    }


def forming_provenance(names=("dstg-tiny", "ap-tiny"), steps=STEPS):
    """The provenance of `forming_result`, with records."""
    return replace(
        samples.provenance(command=f"posprobe manifold {' '.join(names)} --steps all", tokens=()),
        checkpoints=tuple(
            CheckpointSource(
                ref=f"checkpoints/{name}" + ("" if step == steps[-1] else f"/step-{step:06d}"),
                format="native",
                sha256=f"{step:064x}",
                trained=trained(name, until=step, shift=0.3 * run),
            )
            for run, name in enumerate(names)
            for step in steps
        ),
    )
