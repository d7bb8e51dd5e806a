"""Ridge regressions of one set of tokens for every penalty at once."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

_LOST = 1e-13
"""A variance this small beside the squares it is the difference of is rounding."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RidgePath:
    """Standardised features turned so that every penalty has its solution by a division.

    Attributes:
        mean: Means of the features, then of the targets, in the coordinates of the sums.
        turn: From centred features to standardised and turned ones; 0 for a constant feature.
        spread: Variance along each of the turned axes.
        covariance: Of the turned features with the targets; 0 for a constant target.
    """

    mean: Float[Tensor, " column"]
    turn: Float[Tensor, "d axis"]
    spread: Float[Tensor, " axis"]
    covariance: Float[Tensor, "axis target"]

    def weights(self, penalties: Float[Tensor, " target"]) -> Float[Tensor, "d target"]:
        """Return the weights of the features as they are, a penalty for each target."""
        return self.turn @ (self.covariance / (self.spread[:, None] + penalties))

    def errors(
        self, sums: Float[Tensor, "column_1 column_1"], penalties: Float[Tensor, " penalty"]
    ) -> Float[Tensor, "penalty target"]:
        """Return the squared error on other tokens, summed over them, from their sums alone.

        Args:
            sums: Sums of products of `(1, features, targets)` over those tokens.
            penalties: The penalties to try.
        """
        d = len(self.turn)
        products = moved(sums, self.mean)[1:, 1:]
        squares = self.turn.T @ products[:d, :d] @ self.turn
        crossed = self.turn.T @ products[:d, d:]
        # Laid side by side, the solutions of all penalties are one matrix.
        solved = self.covariance / (self.spread + penalties[:, None])[..., None]
        flat = solved.transpose(0, 1).flatten(1)
        quadratic = (flat * (squares @ flat)).sum(dim=0).view(len(penalties), -1)
        return products.diagonal()[d:] - 2 * (solved * crossed).sum(dim=1) + quadratic


def ridge_path(
    sums: Float[Tensor, "column_1 column_1"],
    *,
    d: int,
    least: Float[Tensor, " column"],
) -> RidgePath:
    """Prepare the regressions from sums of products of `(1, features, targets)`.

    Args:
        sums: The sums over the tokens to learn from.
        d: How many of the columns are features.
        least: Standard deviation from which on a column counts as not constant.
    """
    n = sums[0, 0]
    mean = sums[0, 1:] / n
    covariance = sums[1:, 1:] / n - torch.outer(mean, mean)
    sd = covariance.diagonal().clamp(min=0).sqrt()
    lost = (_LOST * sums.diagonal()[1:] / n).sqrt()
    varies = sd > torch.maximum(least, lost)
    scale = torch.where(varies, 1 / sd, 0.0)[:d]
    spread, axes = torch.linalg.eigh(covariance[:d, :d] * torch.outer(scale, scale))
    turn = scale[:, None] * axes
    return RidgePath(
        mean=mean,
        turn=turn,
        spread=spread.clamp(min=0),
        covariance=turn.T @ torch.where(varies[d:], covariance[:d, d:], 0.0),
    )


def moved(
    sums: Float[Tensor, "*fold column_1 column_1"], origin: Float[Tensor, " column"]
) -> Float[Tensor, "*fold column_1 column_1"]:
    """Turn sums of products of `(1, v)` into those of `(1, v − origin)`.

    >>> moved(torch.tensor([[2.0, 6.0], [6.0, 20.0]]), torch.tensor([3.0])).tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    """
    shift = torch.eye(len(origin) + 1, dtype=sums.dtype, device=sums.device)
    shift[0, 1:] = -origin
    return shift.T @ sums @ shift
