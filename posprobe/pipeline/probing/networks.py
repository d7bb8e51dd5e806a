"""Trained networks of all targets, for some readings of equal width."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from posprobe.analysis.mlp_probe import MlpKind, MlpProbes, ProbeRows, fit_mlp_probes
from posprobe.pipeline.probing.target import Guesses, Target


class Networks:
    """One network per reading, target and seed."""

    def __init__(
        self,
        learned: Float[Tensor, "reading some d"],
        watched: Float[Tensor, "reading others d"],
        labels: Int[np.ndarray, "target sample"],
        is_watched: Bool[np.ndarray, " sample"],
        targets: Sequence[Target],
        *,
        kind: MlpKind,
        seeds: int,
        done: Callable[[int], None],
    ) -> None:
        """Train them.

        Args:
            learned: What is read of the training tokens.
            watched: The same of tokens that are not learned from but say when to stop.
            labels: What is true of both.
            is_watched: Which of the labels belong to the latter.
            targets: The targets.
            kind: Which network.
            seeds: How often each is trained, from seed 0 on.
            done: Is told how many networks have just stopped learning.
        """
        self._fits: list[tuple[list[Target], MlpProbes]] = []
        numbers = [target for target in targets if target.kind == "number"]
        classes = [[target] for target in targets if target.kind == "class"]
        for together in [numbers, *classes] if numbers else classes:
            truth = _truth(together, labels)
            fit = fit_mlp_probes(
                ProbeRows(states=learned, targets=truth[~is_watched]),
                ProbeRows(states=watched, targets=truth[is_watched]),
                kind=kind,
                seeds=range(seeds),
                classes=len(together[0].classes) or None,
                done=done,
            )
            self._fits.append((together, fit))

    def guess(self, states: Float[Tensor, "reading sample d"]) -> list[Guesses]:
        """Guess the targets of tokens by each reading, with an axis of seeds in front."""
        found = [(targets, fit.predict(states)) for targets, fit in self._fits]
        return [
            {
                target.name: guesses[:, reading, :, column]
                for targets, guesses in found
                for column, target in enumerate(targets)
            }
            for reading in range(len(states))
        ]


def _truth(targets: list[Target], labels: Int[np.ndarray, "target sample"]) -> Tensor:
    """Give what is true as `fit_mlp_probes` takes it: columns of numbers, or a class."""
    if targets[0].kind == "class":
        return torch.from_numpy(targets[0].truth(labels))
    columns = [target.truth(labels) for target in targets]
    return torch.from_numpy(np.stack(columns, axis=1)).to(torch.float32)
