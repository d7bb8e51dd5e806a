"""Trained networks of all targets, for one reading."""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from posprobe.analysis.mlp_probe import MlpKind, MlpProbes, ProbeRows, fit_mlp_probes
from posprobe.pipeline.probe_target import Guesses, Target


class Networks:
    """One network per target and seed."""

    def __init__(
        self,
        states: Float[Tensor, "sample d"],
        labels: Int[np.ndarray, "target sample"],
        watched: Bool[np.ndarray, " sample"],
        targets: Sequence[Target],
        *,
        kind: MlpKind,
        seeds: int,
    ) -> None:
        """Train them.

        Args:
            states: What is read of the training tokens.
            labels: What is learned.
            watched: Tokens that are not learned from but say when to stop.
            targets: The targets.
            kind: Which network.
            seeds: How often each is trained, from seed 0 on.
        """
        self._fits: list[tuple[list[Target], MlpProbes]] = []
        numbers = [target for target in targets if target.kind == "number"]
        classes = [[target] for target in targets if target.kind == "class"]
        for together in [numbers, *classes] if numbers else classes:
            truth = _truth(together, labels)
            train, validation = (
                ProbeRows(states=states[None, rows.to(states.device)], targets=truth[rows])
                for rows in map(torch.from_numpy, (~watched, watched))
            )
            fit = fit_mlp_probes(
                train,
                validation,
                kind=kind,
                seeds=range(seeds),
                classes=len(together[0].classes) or None,
            )
            self._fits.append((together, fit))

    def guess(self, states: Float[Tensor, "sample d"]) -> Guesses:
        """Guess the targets of tokens, with an axis of seeds in front."""
        return {
            target.name: guesses[:, 0, :, column]
            for targets, fit in self._fits
            for guesses in [fit.predict(states[None].to(torch.float32))]
            for column, target in enumerate(targets)
        }


def _truth(targets: list[Target], labels: Int[np.ndarray, "target sample"]) -> Tensor:
    """Give what is true as `fit_mlp_probes` takes it: columns of numbers, or a class."""
    if targets[0].kind == "class":
        return torch.from_numpy(targets[0].truth(labels))
    columns = [target.truth(labels) for target in targets]
    return torch.from_numpy(np.stack(columns, axis=1)).to(torch.float32)
