"""Which positions, components and frequencies are drawn where there are too many."""

import numpy as np
from jaxtyping import Int

from posprobe.analysis.manifold import Manifold
from posprobe.figures.thinning import LIMIT, stride_for

_PANELS = 16
_POINTS = 1536
_FIRST = 32
_COMPONENTS = 64


def drawn(manifolds: tuple[Manifold, ...]) -> tuple[Manifold, ...]:
    """Return the manifolds with panels of their own: all defined, or an even selection."""
    defined = tuple(item for item in manifolds if item.undefined is None)
    if len(defined) <= _PANELS:
        return defined
    chosen = np.linspace(0, len(defined) - 1, _PANELS).round().astype(int)
    return tuple(defined[index] for index in chosen)


def panel_columns(count: int) -> int:
    """Return how many panels stand beside each other.

    >>> [panel_columns(count) for count in (1, 2, 3, 4, 6, 7, 12)]
    [1, 2, 3, 2, 3, 4, 4]
    """
    return {1: 1, 2: 2, 3: 3, 4: 2, 5: 3, 6: 3, 9: 3}.get(count, 4)


def position_stride(manifolds: tuple[Manifold, ...]) -> int:
    """Return the step between the positions drawn, for figures and their tables."""
    longest = max(item.n_positions for item in manifolds)
    # Two checkpoints are drawn in full; the more there are, the smaller their panels.
    limit = LIMIT if len(manifolds) <= 2 else max(64, _POINTS // len(manifolds))
    return stride_for(longest, limit=limit)


def spectrum_bins(manifolds: tuple[Manifold, ...]) -> Int[np.ndarray, " frequency"]:
    """Return the frequencies drawn: all up to 32, then as many as positions are drawn."""
    longest = max(item.spectrum.shape[1] for item in manifolds)
    first = min(_FIRST + 1, longest)
    return np.r_[1:first, first : longest : position_stride(manifolds)]


def component_counts(manifolds: tuple[Manifold, ...]) -> Int[np.ndarray, " component"]:
    """Return the numbers of components drawn: all up to 64, ever sparser beyond."""
    widest = max(len(item.variance_ratio) for item in manifolds)
    first = np.arange(1, min(_COMPONENTS, widest) + 1)
    beyond = np.geomspace(_COMPONENTS, max(widest, _COMPONENTS), 24).round().astype(first.dtype)
    return np.union1d(first, beyond[beyond <= widest])
