"""Which manifolds are one and the same at several steps of its training."""

import re
from dataclasses import dataclass

from posprobe.analysis.manifold import Manifold

_STEP = re.compile(r", step \d+(?:,\d{3})*(?=, |$)")


@dataclass(frozen=True, kw_only=True)
class Run:
    """A table, or the states at one site, at several steps of a training.

    Attributes:
        name: The label that its steps share.
        steps: Its manifolds by training step, at least two; the last is what it became.
    """

    name: str
    steps: tuple[Manifold, ...]


def runs(items: tuple[Manifold, ...]) -> tuple[Run, ...]:
    """Return the trainings of which there are several steps, in the order of their first.

    Args:
        items: The manifolds of one result, as `named` returned them.
    """
    found: dict[str, dict[int, Manifold]] = {}
    for item in items:
        if item.step is not None:
            # The end of a training stands for a step that was kept there.
            found.setdefault(_run_name(item), {})[item.step] = item
    return tuple(
        Run(name=name, steps=tuple(steps[step] for step in sorted(steps)))
        for name, steps in found.items()
        if len(steps) > 1
    )


def latest(items: tuple[Manifold, ...]) -> tuple[Manifold, ...]:
    """Return the manifolds that are compared with each other: of each run the last step.

    Args:
        items: The manifolds of one result, as `named` returned them.
    """
    ends = {run.name: run.steps[-1] for run in runs(items)}
    return tuple(
        item for item in items if item.step is None or ends.get(_run_name(item), item) is item
    )


def _run_name(item: Manifold) -> str:
    return _STEP.sub("", item.label)
