"""A fitted linear probe."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class Ridge:
    """Linear probes of several targets, read from the states of one site.

    Attributes:
        weights: One row per target, for states as they are (the scaler is folded in);
            0 for a feature that is constant.
        intercept: One per target.
        penalty: What was chosen for each target, per training token and on standardised
            features: scikit-learn's `alpha` is `penalty * n`.
        n: Tokens the probes learned from.
    """

    weights: Float[np.ndarray, "target d"]
    intercept: Float[np.ndarray, " target"]
    penalty: Float[np.ndarray, " target"]
    n: int

    def predict(self, states: Float[Tensor, "sample d"]) -> Float[np.ndarray, "sample target"]:
        """Guess the targets of each token, in float64.

        Args:
            states: One row per token, on any device.

        >>> ridge = Ridge(
        ...     weights=np.array([[2.0]]), intercept=np.array([1.0]), penalty=np.zeros(1), n=9
        ... )
        >>> ridge.predict(torch.tensor([[3.0]])).tolist()
        [[7.0]]
        """
        precise = in_float64(states)
        weights = torch.from_numpy(self.weights).to(precise.device)
        return (precise @ weights.T).cpu().numpy() + self.intercept


def in_float64(states: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """Return the states in float64, on their device if it has it, else on the processor."""
    if states.device.type == "mps":
        states = states.cpu()
    return states.to(torch.float64)
