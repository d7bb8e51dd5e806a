"""How smoothly numbers run along positions: the discrete cosine transform."""

import numpy as np
from jaxtyping import Float
from scipy.fft import dct

LOW = slice(1, 5)
"""The low frequencies: bins 1 to 4. Bin 0 is the mean, which centring removes."""


def power_spectrum(
    scores: Float[np.ndarray, "pos component"],
) -> Float[np.ndarray, "component frequency"]:
    """Split the energy of each column by its frequency along positions.

    The transform is the orthonormal DCT-II; bin k is k half waves over all positions. Power
    adds up to the column's sum of squares, so rows can be compared and weighted.

    Args:
        scores: One column per component, centred over positions.

    >>> half_wave = np.cos(np.pi * (2 * np.arange(8) + 1) / 16)
    >>> power_spectrum(half_wave[:, None]).round(6).tolist()
    [[0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
    """
    return np.asarray(dct(scores, type=2, norm="ortho", axis=0)).T ** 2


def low_share(columns: Float[np.ndarray, "pos component"]) -> float:
    """Return the share of the columns' joint energy in the low frequencies, 0 to 1."""
    power = power_spectrum(columns)
    return float(power[:, LOW].sum() / power.sum())
