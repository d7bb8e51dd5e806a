"""Random numbers that depend on their key alone, not on what was drawn before."""

import numpy as np
from jaxtyping import Float, Int

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def keyed_uniform(
    key: Int[np.ndarray, "..."], *, seed: int, stream: int = 0
) -> Float[np.ndarray, "..."]:
    """Return one number in [0, 1) per key, the same wherever and whenever it is asked for.

    Steele, Lea and Flood's SplitMix64 finaliser, twice: good enough for masks, and one
    vector operation for a whole batch.

    Args:
        key: One integer per number.
        seed: Seed of the training.
        stream: Tells apart numbers drawn for different ends.

    >>> a, b = keyed_uniform(np.array([7, 8]), seed=0), keyed_uniform(np.array([8]), seed=0)
    >>> bool(a[1] == b[0])
    True
    """
    with np.errstate(over="ignore"):
        salt = _mix(_mix(np.array([seed], dtype=np.int64).view(np.uint64)) + np.uint64(stream))
        mixed = _mix(_mix(key.astype(np.int64).view(np.uint64) + salt) ^ salt)
    return (mixed >> np.uint64(11)) * 2.0**-53


def _mix(x: np.ndarray) -> np.ndarray:
    x = x + _GOLDEN
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
