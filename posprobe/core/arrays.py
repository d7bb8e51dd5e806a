"""Arrays by name, as sums are written down to be added up elsewhere."""

from collections.abc import Mapping

import numpy as np

Arrays = dict[str, np.ndarray]
"""Numbers by name."""


def joined(parts: Mapping[str, Mapping[str, np.ndarray]]) -> Arrays:
    """Put the arrays of several things side by side, each name after that of its thing.

    >>> joined({"first": {"sums": np.zeros(2)}, "second": {"sums": np.ones(2)}}).keys()
    dict_keys(['first/sums', 'second/sums'])
    """
    return {f"{part}/{name}": array for part, own in parts.items() for name, array in own.items()}


def split(arrays: Mapping[str, np.ndarray]) -> dict[str, Arrays]:
    """Take apart what `joined` put together; a thing without arrays is not there.

    >>> split({"first/sums": np.zeros(2), "first/more/n": np.ones(1)})["first"].keys()
    dict_keys(['sums', 'more/n'])
    """
    parts: dict[str, Arrays] = {}
    for name, array in arrays.items():
        part, _, own = name.partition("/")
        parts.setdefault(part, {})[own] = array
    return parts
