"""Sums from which linear probes follow in closed form."""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from posprobe.analysis.finite import require_none_bad
from posprobe.analysis.penalty_choice import best_penalties, require_folds
from posprobe.analysis.ridge import Ridge, in_float64
from posprobe.analysis.ridge_path import RidgePath, moved, ridge_path
from posprobe.core.arrays import Arrays

PENALTIES = tuple(float(penalty) for penalty in np.logspace(-6, 2, 17))
"""From hardly any to one that outweighs a hundred standardised features; two per decade."""
_COARSEST = torch.finfo(torch.float32).eps
"""Models compute in float32 inside, whatever coarser type their states are handed out in."""


class RidgeSums:
    """Adds up products of states and targets by fold; memory does not grow with the corpus.

    One pass over the training documents is enough for every target and penalty, and for
    trying the penalties out: each fold's error follows from its own sums and the others'.

    >>> sums = RidgeSums(folds=2, width=1, targets=1)
    >>> states = torch.arange(8.0)[:, None]
    >>> sums.update(states, 3 * states + 1, torch.arange(8) % 2)
    >>> sums.fit().predict(torch.tensor([[10.0]])).round(3).tolist()
    [[31.0]]
    """

    def __init__(self, *, folds: int, width: int, targets: int, site: str = "states") -> None:
        """Prepare empty sums.

        Args:
            folds: Groups of training documents; a penalty is chosen from at least two.
            width: Features of a state.
            targets: Columns of the targets; a class has one column per class, 1 or 0.
            site: Where the states come from, for messages.
        """
        self._folds = folds
        self._width = width
        self._targets = targets
        self._site = site
        # A feature that varies by less than this share of its mean is constant but for rounding.
        self._resolution = torch.finfo(torch.float64).eps
        # Sums are taken about the first batch's mean, so that large means do not cancel.
        self._origin: Float[Tensor, " column"] | None = None
        self._sums: Float[Tensor, "fold column_1 column_1"] | None = None

    @torch.no_grad()
    def update(
        self,
        states: Float[Tensor, "sample d"],
        targets: Float[Tensor, "sample target"],
        fold: Int[Tensor, " sample"],
    ) -> None:
        """Add tokens.

        Args:
            states: One row per token, on any device; the sums stay there.
            targets: One row per token, finite.
            fold: The fold of each token's document, from 0.

        Raises:
            NonFiniteError: If a state or a target has inf or NaN.
        """
        rounding = min(torch.finfo(states.dtype).eps, _COARSEST)
        self._resolution = max(self._resolution, rounding)
        # In the order of the folds, so that each fold's rows lie together and none is copied again.
        order = torch.argsort(fold, stable=True)
        columns = _columns(states, targets, order.to(states.device))
        require_none_bad(_bad(columns, 1, self._width), states.numel(), self._site)
        require_none_bad(_bad(columns, 1 + self._width, None), targets.numel(), "targets")
        if not len(columns):
            return
        sums, origin = self._start(columns[:, 1:])
        columns[:, 1:] -= origin
        numbers, sizes = fold[order].unique_consecutive(return_counts=True)
        for number, rows in zip(numbers.tolist(), columns.split(sizes.tolist()), strict=True):
            sums[number] += _products(rows)

    def merge(self, other: "RidgeSums") -> None:
        """Add what another one has summed, as if its batches had come here."""
        assert (self._folds, self._width, self._targets) == (
            *(other._folds, other._width, other._targets),
        ), "sums of different probes"
        self._resolution = max(self._resolution, other._resolution)
        if other._sums is None or other._origin is None:
            return
        if self._sums is None or self._origin is None:
            self._sums, self._origin = other._sums.clone(), other._origin
            return
        sums, origin = other._sums.to(self._sums.device), other._origin.to(self._origin.device)
        self._sums += moved(sums, self._origin - origin)

    def arrays(self) -> Arrays:
        """Return all that was summed, for `restore`."""
        found = {"width": np.array(self._width), "resolution": np.array(self._resolution)}
        if self._sums is None or self._origin is None:
            return found
        return {
            **found,
            "origin": self._origin.cpu().numpy(),
            "sums": self._sums.cpu().numpy(),
        }

    def restore(self, arrays: Arrays) -> None:
        """Take the place of the one whose `arrays` these are; made alike, still empty."""
        self._resolution = float(arrays["resolution"])
        if "sums" in arrays:
            self._origin, self._sums = (torch.from_numpy(arrays[n]) for n in ("origin", "sums"))

    @torch.no_grad()
    def fit(
        self, *, groups: Sequence[int] | None = None, penalties: Sequence[float] = PENALTIES
    ) -> Ridge:
        """Fit a linear probe per target, on all folds, with the penalty that serves best.

        The penalty of a target is the one with the least squared error on held-out folds.
        Features are standardised by what the tokens learned from say, in each fold anew.
        The fit is that of scikit-learn's `StandardScaler` and `Ridge(alpha=penalty * n)`.

        Args:
            groups: One label per target; those of one label share a penalty, such as the
                columns of one class target. None: each target has its own.
            penalties: The penalties to choose from, above 0, in any order.

        Raises:
            UserError: If fewer than two folds have tokens, or the groups do not fit.
        """
        assert min(penalties) > 0, "without a penalty, dependent features have no solution"
        filled = require_folds(self._tokens())
        assert self._sums is not None
        tried = torch.tensor(penalties, dtype=torch.float64, device=self._sums.device)
        errors = torch.zeros(len(tried), self._targets, dtype=torch.float64, device=tried.device)
        for fold in filled.tolist():
            # The others are added up, not taken from the whole: what a feature does in this
            # fold alone would leave rounding behind.
            others = self._sums[[other for other in range(self._folds) if other != fold]]
            errors += self._path(others.sum(dim=0)).errors(self._sums[fold], tried)
        best = best_penalties(errors.cpu().numpy(), groups)
        return self._ridge(self._sums.sum(dim=0), np.asarray(penalties, dtype=np.float64)[best])

    def _start(
        self, columns: Float[Tensor, "sample column"]
    ) -> tuple[Float[Tensor, "fold column_1 column_1"], Float[Tensor, " column"]]:
        if self._sums is None or self._origin is None:
            size = self._width + self._targets + 1
            self._sums = columns.new_zeros(self._folds, size, size)
            self._origin = columns.mean(dim=0)
        return self._sums, self._origin

    def _tokens(self) -> Float[np.ndarray, " fold"]:
        if self._sums is None:
            return np.zeros(self._folds)
        return self._sums[:, 0, 0].cpu().numpy()

    def _path(self, sums: Float[Tensor, "column_1 column_1"]) -> RidgePath:
        assert self._origin is not None
        least = (sums[0, 1:] / sums[0, 0] + self._origin).abs()
        least[: self._width] *= self._resolution
        least[self._width :] *= torch.finfo(torch.float64).eps
        return ridge_path(sums, d=self._width, least=least)

    def _ridge(
        self, whole: Float[Tensor, "column_1 column_1"], penalty: Float[np.ndarray, " target"]
    ) -> Ridge:
        assert self._origin is not None
        path = self._path(whole)
        weights = path.weights(torch.from_numpy(penalty).to(whole.device))
        centre = path.mean + self._origin
        intercept = centre[self._width :] - centre[: self._width] @ weights
        return Ridge(
            weights=weights.T.contiguous().cpu().numpy(),
            intercept=intercept.cpu().numpy(),
            penalty=penalty,
            n=round(float(whole[0, 0])),
        )


def _products(rows: Float[Tensor, "sample column_1"]) -> Float[Tensor, "column_1 column_1"]:
    if rows.device.type != "cpu":
        return rows.T @ rows
    # NumPy sees that the product is symmetric and does half the work.
    matrix = rows.numpy()
    return torch.from_numpy(matrix.T @ matrix)


def _columns(
    states: Float[Tensor, "sample d"],
    targets: Float[Tensor, "sample target"],
    order: Int[Tensor, " sample"],
) -> Float[Tensor, "sample column_1"]:
    """Lay `(1, state, target)` side by side in float64, in the order asked for."""
    features = in_float64(states[:0])
    d = states.shape[1]
    columns = features.new_empty(len(states), 1 + d + targets.shape[1])
    columns[:, 0] = 1
    columns[:, 1 : 1 + d] = states[order]
    columns[:, 1 + d :] = targets.to(columns.device)[order.to(columns.device)]
    return columns


def _bad(columns: Float[Tensor, "sample column"], start: int, width: int | None) -> int:
    values = columns[:, start : None if width is None else start + width]
    # Zero times a sum shows inf and NaN alike; they are counted only where there are some.
    if bool((values.sum() * 0 == 0).item()):
        return 0
    return int((~torch.isfinite(values)).sum())
