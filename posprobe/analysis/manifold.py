"""The shape that positions take in a table or in the states of a model."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from posprobe.analysis.finite import require_finite
from posprobe.analysis.null import NULL_NUMBERS, NULLS, Null, compare
from posprobe.analysis.principal import Principal, principal_components
from posprobe.analysis.random_tables import random_table_scores, shuffled_low4
from posprobe.analysis.spectrum import LOW, low_share, power_spectrum
from posprobe.core.errors import UserError
from posprobe.core.result import Result

_COLUMNS = (
    *("checkpoint", "label", "site", "layer", "step", "quantity", "null"),
    *("component", "frequency", "pos", "value"),
)
_NUMBERS = (
    *("top2", "low4_top2", "low4_all", "participation_ratio"),
    *("n_90", "n_95", "n_99", "n_positions", "n_dimensions"),
)


@dataclass(frozen=True, kw_only=True)
class Manifold:
    """The principal components of one table with a row per position.

    Attributes:
        label: What to call it beside others.
        checkpoint: The model it belongs to.
        site: `table` for a learned position table, else the hook name of the states.
        layer: Layer of the states; None for a table.
        n_positions: Rows.
        n_dimensions: Columns.
        variance_ratio: Share of the variance per component, largest first.
        scores: Coordinates on the first (at most 3) components. The largest-magnitude entry
            of each component is positive.
        spectrum: Power of the first (at most 8) components by DCT-II frequency, each row
            summing to 1. NaN for a component without variance.
        low4: Power in frequencies 1 to 4, per component. NaN for one without variance.
        top2: Share of the variance in the first two components.
        low4_top2: `low4` of the first two components, weighted by variance.
        low4_all: `low4` of all components, weighted by variance.
        participation_ratio: (Σλ)² / Σλ², the effective number of components.
        n_90: Components that hold 90 % of the variance; 0 where undefined.
        n_95: Likewise 95 %.
        n_99: Likewise 99 %.
        nulls: The same numbers for `gaussian`, `random walk` and `shuffled` tables.
        undefined: Why there are no numbers, such as a constant table; else None.
        note: What a reader must know of the rows, such as rows left out; else None.
        step: Training step of the checkpoint, where its records say so.
        loss: Its loss on held-out documents, in nats, where its records say so. Tables of
            models that have learned different amounts must not be compared.
    """

    label: str
    checkpoint: str
    site: str
    layer: int | None
    n_positions: int
    n_dimensions: int
    variance_ratio: Float[np.ndarray, " component"]
    scores: Float[np.ndarray, "pos _component"]
    spectrum: Float[np.ndarray, "_component frequency"]
    low4: Float[np.ndarray, " component"]
    top2: float
    low4_top2: float
    low4_all: float
    participation_ratio: float
    n_90: int
    n_95: int
    n_99: int
    nulls: dict[str, Null]
    undefined: str | None = None
    note: str | None = None
    step: int | None = None
    loss: float | None = None


@dataclass(frozen=True, kw_only=True)
class ManifoldResult(Result):
    """The manifolds of one or several checkpoints, side by side.

    Attributes:
        manifolds: One per table, or per layer and stream of states.
    """

    manifolds: tuple[Manifold, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per number; `null` names the null a number belongs to."""
        rows = [row for manifold in self.manifolds for row in _rows(manifold)]
        frame = pd.DataFrame(rows, columns=list(_COLUMNS))
        whole = dict.fromkeys(("layer", "step", "component", "frequency", "pos"), "Int64")
        return frame.astype({**whole, "value": "float64"})

    def summary(self) -> dict[str, Any]:
        """Return the headline numbers of each manifold, by label and site."""
        return {f"{item.label} · {item.site}": _headline(item) for item in self.manifolds}


def measure_manifold(
    matrix: Float[np.ndarray, "pos d_model"],
    *,
    label: str,
    checkpoint: str,
    site: str,
    layer: int | None = None,
    seed: int = 0,
    draws: int = 20,
    note: str | None = None,
    step: int | None = None,
    loss: float | None = None,
) -> Manifold:
    """Describe the curve that positions draw: how flat it is, and how smooth.

    `top2` near 1 means that positions lie in a plane; `low4` near 1 means that neighbours in
    position are neighbours in space. Both depend on the shape of the table, so read the
    excess over the nulls. After A (arXiv 2605.30022), which reports PCA and DCT-II of the
    learned table; the random walk and the participation ratio are ours.

    Args:
        matrix: One row per position, in order, finite.
        label: What to call it beside others.
        checkpoint: The model it belongs to.
        site: `table`, or the hook name of the states.
        layer: Layer of the states.
        seed: Seed of the nulls.
        draws: Random tables per null, at least 1.
        note: What a reader must know of the rows.
        step: Training step of the checkpoint.
        loss: Its held-out loss, in nats.

    Raises:
        NonFiniteError: If the table has inf or NaN.
        UserError: If the table is empty or `draws` is below 1.

    >>> t = np.pi * (2 * np.arange(64)[:, None] + 1) / 128
    >>> planted = np.hstack([2 * np.cos(t), np.cos(3 * t)])
    >>> found = measure_manifold(planted, label="planted", checkpoint="none", site="table")
    >>> round(found.top2, 6), found.spectrum.round(6)[0, 1], found.spectrum.round(6)[1, 3]
    (1.0, np.float64(1.0), np.float64(1.0))
    """
    if draws < 1:
        raise UserError(f"draws={draws}: a null needs at least one random table")
    if not matrix.size:
        raise UserError(f"{label}, {site}: a table of shape {matrix.shape} has no positions")
    require_finite(matrix, f"{label}, {site}")
    found = principal_components(matrix)
    numbers = _undefined(found) if found.rank == 0 else _defined(matrix, found, seed, draws)
    return Manifold(
        label=label,
        checkpoint=checkpoint,
        site=site,
        layer=layer,
        n_positions=matrix.shape[0],
        n_dimensions=matrix.shape[1],
        note=note,
        step=step,
        loss=loss,
        **numbers,
    )


def _defined(
    matrix: Float[np.ndarray, "pos d_model"], found: Principal, seed: int, draws: int
) -> dict[str, Any]:
    ratio = found.variances / found.variances.sum()
    power = power_spectrum(found.scores)
    # A direction without variance has rounding for coordinates, and no frequency.
    power[found.rank :] = np.nan
    spectrum = power / power.sum(axis=1, keepdims=True)
    low4 = spectrum[:, LOW].sum(axis=1)
    centred = matrix.astype(np.float64) - matrix.mean(axis=0, dtype=np.float64)
    values = (float(ratio[:2].sum()), low_share(found.scores[:, :2]), low_share(centred))
    return {
        "variance_ratio": ratio,
        "scores": found.scores[:, :3],
        "spectrum": spectrum[:8],
        "low4": low4,
        "top2": values[0],
        "low4_top2": values[1],
        "low4_all": values[2],
        "participation_ratio": float(1 / (ratio**2).sum()),
        **{f"n_{percent}": _components_for(ratio, percent / 100) for percent in (90, 95, 99)},
        "nulls": _nulls(centred, found.scores[:, :2], values, seed, draws),
    }


def _undefined(found: Principal) -> dict[str, Any]:
    """Fill in for a table whose rows are all the same."""
    positions, components = found.scores.shape
    nan = float("nan")
    empty = dict.fromkeys(NULL_NUMBERS, nan)
    return {
        "variance_ratio": np.full(components, nan),
        "scores": np.full((positions, min(3, components)), nan),
        "spectrum": np.full((min(8, components), positions), nan),
        "low4": np.full(components, nan),
        **dict.fromkeys(_NUMBERS[:4], nan),
        **dict.fromkeys(("n_90", "n_95", "n_99"), 0),
        "nulls": {name: Null(**empty, draws=0) for name in NULLS},
        "undefined": "every position has the same row, so there is no variance to explain",
    }


def _components_for(ratio: Float[np.ndarray, " component"], share: float) -> int:
    return int(np.searchsorted(np.cumsum(ratio), share - 1e-12)) + 1


def _nulls(
    centred: Float[np.ndarray, "pos d_model"],
    scores: Float[np.ndarray, "pos component"],
    values: tuple[float, float, float],
    seed: int,
    draws: int,
) -> dict[str, Null]:
    shape = centred.shape
    shuffled = shuffled_low4(centred, scores, seed=seed, draws=draws)
    unchanged = np.full((draws, 1), values[0])
    drawn = {
        "gaussian": random_table_scores("gaussian", *shape, seed=seed, draws=draws),
        "random walk": random_table_scores("random walk", *shape, seed=seed, draws=draws),
        "shuffled": np.hstack([unchanged, shuffled]),
    }
    return {name: compare(values, draw) for name, draw in drawn.items()}


def _headline(manifold: Manifold) -> dict[str, Any]:
    walk = manifold.nulls["random walk"]
    return {
        "top2": manifold.top2,
        "top2_random_walk": walk.top2,
        "low4_top2": manifold.low4_top2,
        "low4_all": manifold.low4_all,
        "low4_all_random_walk": walk.low4_all,
        "participation_ratio": manifold.participation_ratio,
        "n_95": manifold.n_95,
        "step": manifold.step,
        "loss": manifold.loss,
        "undefined": manifold.undefined,
    }


def _rows(manifold: Manifold) -> Iterator[dict[str, Any]]:
    names = ("checkpoint", "label", "site", "layer", "step")
    shared = {name: getattr(manifold, name) for name in names}
    for name in (*_NUMBERS, *(("loss",) if manifold.loss is not None else ())):
        yield {**shared, "quantity": name, "value": getattr(manifold, name)}
    for null, numbers in manifold.nulls.items():
        for name in NULL_NUMBERS:
            yield {**shared, "quantity": name, "null": null, "value": getattr(numbers, name)}
    axes = {
        "variance_ratio": ("component",),
        "low4": ("component",),
        "spectrum": ("component", "frequency"),
        "scores": ("pos", "component"),
    }
    for name, labels in axes.items():
        for index, value in np.ndenumerate(getattr(manifold, name)):
            yield {
                **shared,
                "quantity": name,
                **dict(zip(labels, index, strict=True)),
                "value": value,
            }
