"""Adds up what the heads of one layer do with the terms of their logits."""

from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from posprobe.analysis.finite import require_none_bad
from posprobe.analysis.head_pattern import attention_pattern, divergence
from posprobe.analysis.query_sums import query_sums

NEAR = 8
"""Keys at most this far from the query are near."""
_BLOCK = 1 << 20
"""Logits worked on at once, so that float64 copies stay small."""


class LayerSums:
    """Sums over documents and queries for one layer, in float64 and of fixed size.

    Attributes:
        products: Sums of products of the centred terms; the last row and column belong to
            the logits. One matrix per group of documents.
        energy: Sums of squares of the terms before centring, per group.
        pairs: Counted (query, key) pairs per group.
        divergence: Sum over queries of the divergence without each term.
        reach: Sums over queries of attended distance and near mass, with and without `rp`.
        documents: Documents with a counted query.
        queries: Counted queries.
    """

    def __init__(self, layer: int, n_heads: int, terms: tuple[str, ...], groups: int) -> None:
        size = len(terms) + 1
        self._layer = layer
        self._terms = terms
        self.products = np.zeros((groups, n_heads, size, size))
        self.energy = np.zeros((groups, n_heads))
        self.pairs = np.zeros(groups, dtype=np.int64)
        self.divergence = np.zeros((n_heads, len(terms)))
        self.reach = np.zeros((n_heads, 4))
        self.documents = 0
        self.queries = 0

    def update(
        self,
        terms: dict[str, Float[Tensor, "_ head query key"]],
        counted: Bool[Tensor, "batch query key"],
        groups: Int[np.ndarray, " batch"],
    ) -> None:
        """Add a batch.

        Args:
            terms: The terms, per document or once for all (batch axis 1).
            counted: The pairs to count; no query has exactly one.
            groups: The group of each document.
        """
        if counted.device.type == "cpu":
            self._add_queries([terms[name] for name in self._terms], counted, groups)
        else:
            self._add_blocks(terms, counted, groups)
        rows = counted.any(dim=-1)
        self.documents += int(rows.any(dim=-1).sum())
        self.queries += int(rows.sum())
        np.add.at(self.pairs, groups, counted.sum(dim=(1, 2)).cpu().numpy())

    def merge(self, other: "LayerSums") -> None:
        """Add what another one has summed, as if its documents had come here."""
        assert (self._layer, self._terms) == (other._layer, other._terms), "sums of other heads"
        self.products += other.products
        self.energy += other.energy
        self.pairs += other.pairs
        self.divergence += other.divergence
        self.reach += other.reach
        self.documents += other.documents
        self.queries += other.queries

    def _add_queries(
        self,
        terms: list[Float[Tensor, "_ head query key"]],
        counted: Bool[Tensor, "batch query key"],
        groups: Int[np.ndarray, " batch"],
    ) -> None:
        rp = self._terms.index("rp") if "rp" in self._terms else None
        found = query_sums(terms, counted, without=rp, near=NEAR)
        pairs = int(counted.sum()) * found.energy.shape[1]
        for name, bad in zip(self._terms, found.bad.sum(axis=(0, 1)).tolist(), strict=True):
            require_none_bad(bad, pairs, f"layer {self._layer}, {name} logits")
        np.add.at(self.products, groups, found.products)
        np.add.at(self.energy, groups, found.energy)
        self.divergence += found.divergence.sum(axis=0)
        self.reach += found.reach.sum(axis=0)

    def _add_blocks(
        self,
        terms: dict[str, Float[Tensor, "_ head query key"]],
        counted: Bool[Tensor, "batch query key"],
        groups: Int[np.ndarray, " batch"],
    ) -> None:
        whole = {name: terms[name].expand(len(counted), -1, -1, -1) for name in self._terms}
        for documents, queries in _blocks(*whole[self._terms[0]].shape):
            block = {name: term[documents, :, queries] for name, term in whole.items()}
            self._add(block, counted[documents, queries], groups[documents], queries.start)

    def _add(
        self,
        block: dict[str, Float[Tensor, "batch head query key"]],
        counted: Bool[Tensor, "batch query key"],
        groups: Int[np.ndarray, " batch"],
        first: int,
    ) -> None:
        keys = counted[:, None]
        for name, term in block.items():
            bad = int((~torch.isfinite(term) & keys).sum())
            total = int(counted.sum()) * term.shape[1]
            require_none_bad(bad, total, f"layer {self._layer}, {name} logits")
        # What lies outside the counted pairs may be −inf: it is replaced, not multiplied by 0.
        parts = torch.stack(
            [torch.where(keys, term, 0.0).to(torch.float64) for term in block.values()]
        )
        logits = parts.sum(dim=0)
        centred = _centred(torch.cat([parts, logits[None]]), keys)
        products = torch.einsum("tbhqk,ubhqk->bhtu", centred, centred)
        np.add.at(self.products, groups, products.cpu().numpy())
        np.add.at(self.energy, groups, (parts**2).sum(dim=(0, 3, 4)).cpu().numpy())
        self._add_patterns(parts, logits, counted, first)

    def _add_patterns(
        self,
        parts: Float[Tensor, "term batch head query key"],
        logits: Float[Tensor, "batch head query key"],
        counted: Bool[Tensor, "batch query key"],
        first: int,
    ) -> None:
        pattern = attention_pattern(logits, counted)
        for column, name in enumerate(self._terms):
            without = attention_pattern(logits - parts[column], counted)
            gap = divergence(pattern, without)
            self.divergence[:, column] += gap.sum(dim=(0, 2)).cpu().numpy()
            if name == "rp":
                self.reach[:, :2] += _reach(pattern, first)
                self.reach[:, 2:] += _reach(without, first)


def _blocks(documents: int, heads: int, queries: int, keys: int) -> Iterator[tuple[slice, slice]]:
    """Cut a batch into documents and, where one is too large by itself, into queries."""
    rows = min(queries, max(1, _BLOCK // (heads * keys)))
    several = max(1, _BLOCK // (heads * queries * keys))
    for document in range(0, documents, several):
        for query in range(0, queries, rows):
            yield slice(document, document + several), slice(query, query + rows)


def _centred(
    values: Float[Tensor, "term batch head query key"], keys: Bool[Tensor, "batch 1 query key"]
) -> Float[Tensor, "term batch head query key"]:
    """Take from each query's counted keys their mean; the others are zero and stay so."""
    mean = values.sum(dim=-1, keepdim=True) / keys.sum(dim=-1, keepdim=True).clamp(min=1)
    return (values - mean) * keys


def _reach(
    pattern: Float[Tensor, "batch head query key"], first: int
) -> Float[np.ndarray, "head 2"]:
    """Sum, over queries, the mean attended distance and the mass on near keys."""
    queries = torch.arange(first, first + pattern.shape[2], device=pattern.device)
    keys = torch.arange(pattern.shape[3], device=pattern.device)
    distance = (keys[None] - queries[:, None]).abs()
    sums = [(pattern * weight).sum(dim=(0, 2, 3)) for weight in (distance, distance <= NEAR)]
    return torch.stack(sums, dim=1).cpu().numpy()
