"""Sums over the queries of a batch, each of which is read once while it is in the cache.

What `LayerSums` does with whole tensors on an accelerator, in the order that suits a processor:
it has fast arithmetic and slow memory, and each step on whole tensors goes through all of it.
"""

import math
from dataclasses import dataclass
from typing import no_type_check

import numpy as np
from jaxtyping import Bool, Float, Int
from numba import njit, prange
from torch import Tensor, float32, float64

from posprobe.analysis.numba_threads import as_many_as_torch
from posprobe.analysis.vector_math import exponentials, logarithms

_NONE = 1e-300
"""As good as no attention at all."""
_ANY_ORDER = {"reassoc", "contract"}
"""Lets the compiler add up several numbers at a time; inf and NaN stay what they are."""


@dataclass(frozen=True, kw_only=True, eq=False)
class QuerySums:
    """Sums over the counted queries of each document and head; see `LayerSums`.

    Attributes:
        products: Of the centred terms, the logits last.
        energy: Of the squared terms.
        divergence: Of the pattern from that without each term.
        reach: Of attended distance and near mass, with and without the term asked for.
        bad: Counted numbers that are inf or NaN, by term.
    """

    products: Float[np.ndarray, "batch head column column"]
    energy: Float[np.ndarray, "batch head"]
    divergence: Float[np.ndarray, "batch head term"]
    reach: Float[np.ndarray, "batch head 4"]
    bad: Int[np.ndarray, "batch head term"]


def query_sums(
    terms: list[Float[Tensor, "_ head query key"]],
    counted: Bool[Tensor, "batch query key"],
    *,
    without: int | None,
    near: int,
) -> QuerySums:
    """Add up what each head does with the terms of its logits.

    Args:
        terms: The terms, on the processor; per document or once for all (batch axis 1).
        counted: The pairs to count.
        without: The term without which the reach is measured too; None measures no reach.
        near: Keys at most this far from the query are near.
    """
    kind = float64 if any(term.dtype == float64 for term in terms) else float32
    # Contiguous and of one type, so that one compiled kernel serves.
    arrays = tuple(np.ascontiguousarray(term.to(kind).numpy()) for term in terms)
    shape, n = (len(counted), arrays[0].shape[1]), len(arrays)
    sums = QuerySums(
        products=np.zeros((*shape, n + 1, n + 1)),
        energy=np.zeros(shape),
        divergence=np.zeros((*shape, n)),
        reach=np.zeros((*shape, 4)),
        bad=np.zeros((*shape, n), dtype=np.int64),
    )
    as_many_as_torch()
    _add_heads(
        arrays,
        np.ascontiguousarray(counted.numpy()),
        -1 if without is None else without,
        near,
        sums.products,
        sums.energy,
        sums.divergence,
        sums.reach,
        sums.bad,
    )
    return sums


# `no_type_check` keeps the shape checker of the tests out of what the compiler reads.


@njit(cache=True, parallel=True, nogil=True)
@no_type_check
def _add_heads(terms, counted, without, near, products, energy, divergence, reach, bad):
    batch, heads = energy.shape
    n = len(terms)
    _, queries, all_keys = counted.shape
    for place in prange(batch * heads):
        document, head = place // heads, place % heads
        keys = np.empty(all_keys, dtype=np.int64)
        values = np.empty((n + 1, all_keys))
        centred = np.empty((n + 1, all_keys))
        pattern, other = np.empty((2, all_keys)), np.empty((2, all_keys))
        middle, work = np.empty((2, all_keys)), np.empty(all_keys)
        for query in range(queries):
            size = 0
            for key in range(all_keys):
                keys[size] = key
                size += counted[document, query, key]
            if size == 0:
                continue
            values[n, :size] = 0.0
            for t in range(n):
                row = terms[t][document if len(terms[t]) > 1 else 0, head, query]
                for i in range(size):
                    values[t, i] = row[keys[i]]
                    values[n, i] += values[t, i]
                squares = _dot(values[t], values[t], size)
                energy[document, head] += squares
                if not math.isfinite(squares):
                    bad[document, head, t] += _count_bad(values[t], size)
            for t in range(n + 1):
                _centre(values[t], size, centred[t])
                for u in range(t + 1):
                    products[document, head, t, u] += _dot(centred[t], centred[u], size)
            logits = values[n]
            _attend(logits, size, pattern, work)
            if without >= 0:
                _add_reach(pattern[0], keys, size, query, near, reach[document, head, :2])
            for t in range(n):
                for i in range(size):
                    values[t, i] = logits[i] - values[t, i]
                _attend(values[t], size, other, work)
                divergence[document, head, t] += _divergence(pattern, other, size, middle, work)
                if t == without:
                    _add_reach(other[0], keys, size, query, near, reach[document, head, 2:])
        for t in range(n + 1):
            for u in range(t):
                products[document, head, u, t] = products[document, head, t, u]


@njit(cache=True, nogil=True, fastmath=_ANY_ORDER)
@no_type_check
def _dot(one, other, size):
    total = 0.0
    for i in range(size):
        total += one[i] * other[i]
    return total


@njit(cache=True, nogil=True, fastmath=_ANY_ORDER)
@no_type_check
def _centre(values, size, centred):
    total = 0.0
    for i in range(size):
        total += values[i]
    for i in range(size):
        centred[i] = values[i] - total / size


@njit(cache=True, nogil=True)
@no_type_check
def _count_bad(values, size):
    bad = 0
    for i in range(size):
        bad += not math.isfinite(values[i])
    return bad


@njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
@no_type_check
def _largest(values, size):
    largest = values[0]
    for i in range(size):
        largest = values[i] if values[i] > largest else largest
    return largest


@njit(cache=True, nogil=True, fastmath=_ANY_ORDER)
@no_type_check
def _attend(logits, size, pattern, work):
    """Write the softmax and its logarithm."""
    largest = _largest(logits, size)
    for i in range(size):
        pattern[1, i] = logits[i] - largest
    exponentials(pattern[1], size, pattern[0], work, work.view(np.int64))
    total = 0.0
    for i in range(size):
        total += pattern[0, i]
    share, shift = 1.0 / total, math.log(total)
    for i in range(size):
        pattern[0, i] *= share
        pattern[1, i] -= shift


@njit(cache=True, nogil=True, fastmath=_ANY_ORDER)
@no_type_check
def _divergence(one, other, size, middle, work):
    """Return the Jensen–Shannon divergence of two patterns, in bits."""
    for i in range(size):
        middle[0, i] = max((one[0, i] + other[0, i]) * 0.5, _NONE)
    # The logarithms of the patterns are known; only that of their mean is not.
    logarithms(middle[0], size, middle[1], work, work.view(np.int64))
    total = 0.0
    for i in range(size):
        gain = one[0, i] * (one[1, i] - middle[1, i]) + other[0, i] * (other[1, i] - middle[1, i])
        # What does not differ adds nothing, not even rounding.
        total += gain if gain > 0.0 and one[0, i] != other[0, i] else 0.0
    return total / (2 * math.log(2.0))


@njit(cache=True, nogil=True, fastmath=_ANY_ORDER)
@no_type_check
def _add_reach(pattern, keys, size, query, near, reach):
    far = close = 0.0
    for i in range(size):
        distance = abs(keys[i] - query)
        far += pattern[i] * distance
        close += pattern[i] if distance <= near else 0.0
    reach[0] += far
    reach[1] += close
