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
from posprobe.analysis.vector_math import exponential, largest, logarithm

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


# `no_type_check` keeps the shape checker of the tests out of what the compiler reads. Rows are
# passed as a matrix and a number, since each view of an array would be counted in and out.


@njit(cache=True, parallel=True, nogil=True)
@no_type_check
def _add_heads(terms, counted, without, near, products, energy, divergence, reach, bad):
    batch, heads = energy.shape
    for place in prange(batch * heads):
        document, head = place // heads, place % heads
        _add_queries(
            terms, counted[document], document, head, without, near,
            products[document, head], energy[document], divergence[document, head],
            reach[document, head].reshape(2, 2), bad[document, head],
        )  # fmt: skip


@njit(cache=True, nogil=True)
@no_type_check
def _add_queries(
    terms, counted, document, head, without, near, products, energy, divergence, reach, bad
):
    n = len(terms)
    queries, all_keys = counted.shape
    keys = np.empty(all_keys, dtype=np.int64)
    # The terms by row and then, in their place, the logits without each; the logits last.
    logits, weights = np.empty((n + 1, all_keys)), np.empty((n + 1, all_keys))
    total = np.empty(n + 1)
    for query in range(queries):
        size = _list_keys(counted, query, keys)
        if size == 0:
            continue
        logits[n, :size] = 0.0
        for t in range(n):
            whose = document if len(terms[t]) > 1 else 0
            _read(terms[t], whose, head, query, keys, size, logits, t)
            mean = _centre(logits, t, n, size)
            for u in range(t + 1):
                product = _dot(logits, t, u, size)
                products[t, u] += product
            # The last one is that of the term with itself.
            energy[head] += product + size * mean * mean
            if not math.isfinite(product):
                bad[t] += _count_bad(terms[t], whose, head, query, keys, size)
        for t in range(n + 1):
            products[n, t] += _dot(logits, n, t, size)
        for t in range(n):
            _subtract(logits, n, t, size)
        for t in range(n + 1):
            total[t] = _weigh(logits, t, size, weights)
        for t in range(n):
            divergence[t] += _divergence(logits, weights, total, t, n, size)
        if without >= 0:
            for column, t in enumerate((n, without)):
                _add_reach(weights, total, t, keys, size, query, near, reach, column)
    for t in range(n + 1):
        for u in range(t):
            products[u, t] = products[t, u]


@njit(cache=True, nogil=True)
@no_type_check
def _list_keys(counted, query, keys):
    size = 0
    for key in range(counted.shape[1]):
        keys[size] = key
        size += counted[query, key]
    return size


@njit(cache=True, nogil=True)
@no_type_check
def _read(term, document, head, query, keys, size, values, t):
    first = keys[0]
    if keys[size - 1] - first == size - 1:  # Neighbours need not be gathered one by one.
        row = term[document, head, query, first:]
        for i in range(size):
            values[t, i] = row[i]
    else:
        for i in range(size):
            values[t, i] = term[document, head, query, keys[i]]


@njit(cache=True, nogil=True, fastmath=_ANY_ORDER, error_model="numpy")
@no_type_check
def _centre(values, t, n, size):
    """Take its mean from a term, and add it to the logits."""
    total = 0.0
    for i in range(size):
        total += values[t, i]
    mean = total / size
    for i in range(size):
        centred = values[t, i] - mean
        values[t, i] = centred
        values[n, i] += centred
    return mean


@njit(cache=True, nogil=True)
@no_type_check
def _count_bad(term, document, head, query, keys, size):
    bad = 0
    for i in range(size):
        bad += not math.isfinite(term[document, head, query, keys[i]])
    return bad


@njit(cache=True, nogil=True, fastmath=_ANY_ORDER)
@no_type_check
def _dot(values, t, u, size):
    total = 0.0
    for i in range(size):
        total += values[t, i] * values[u, i]
    return total


@njit(cache=True, nogil=True)
@no_type_check
def _subtract(values, n, t, size):
    for i in range(size):
        values[t, i] = values[n, i] - values[t, i]


@njit(cache=True, nogil=True, fastmath=_ANY_ORDER)
@no_type_check
def _weigh(logits, t, size, weights):
    """Write what a softmax divides by its total, and return that."""
    most, total = largest(logits, t, size), 0.0
    for i in range(size):
        logit = logits[t, i] - most
        weight = exponential(logit)
        logits[t, i] = logit
        weights[t, i] = weight
        total += weight
    return total


@njit(cache=True, nogil=True, fastmath=_ANY_ORDER, error_model="numpy")
@no_type_check
def _divergence(logits, weights, total, t, n, size):
    """Return the Jensen–Shannon divergence of two patterns, in bits."""
    one_share, other_share = 1.0 / total[t], 1.0 / total[n]
    one_shift, other_shift = math.log(total[t]), math.log(total[n])
    found = 0.0
    for i in range(size):
        one, other = weights[t, i] * one_share, weights[n, i] * other_share
        # The logarithms of the patterns are known; only that of their mean is not.
        mean = logarithm(max((one + other) * 0.5, _NONE))
        gain = one * (logits[t, i] - one_shift - mean)
        gain += other * (logits[n, i] - other_shift - mean)
        # What does not differ adds nothing, not even rounding.
        found += gain if gain > 0.0 and one != other else 0.0
    return found / (2 * math.log(2.0))


@njit(cache=True, nogil=True, fastmath=_ANY_ORDER, error_model="numpy")
@no_type_check
def _add_reach(weights, total, t, keys, size, query, near, reach, column):
    far = close = 0.0
    for i in range(size):
        distance = abs(keys[i] - query)
        far += weights[t, i] * distance
        close += weights[t, i] if distance <= near else 0.0
    reach[column, 0] += far / total[t]
    reach[column, 1] += close / total[t]
