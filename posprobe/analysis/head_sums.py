"""Splits attention logits among their terms, batch by batch."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from posprobe.analysis.head_classes import (
    CLASS_OF_TERM,
    classify,
    count_classes,
    histogram,
    two_groups,
)
from posprobe.analysis.head_shares import variance_shares
from posprobe.analysis.heads import HeadsResult
from posprobe.analysis.layer_sums import LayerSums
from posprobe.analysis.offset_means import OffsetMeans
from posprobe.analysis.resampling import jackknife_se
from posprobe.core.arrays import Arrays, joined, split
from posprobe.core.errors import CorpusError, UserError

_OF_LAYERS = ("products", "energy", "pairs", "divergence", "reach", "documents", "queries")


class HeadSums:
    """Splits the attention logits of each head among their terms, over a whole corpus.

    Logits are a sum of terms. Each term is centred within a query's allowed keys, since
    softmax ignores what all keys have in common; products are summed over all queries, and
    only then divided. A (arXiv 2605.30022) names the terms; the shares are our definition.
    How to read the numbers: see `HeadsResult`.

    All sums are float64 and of fixed size: memory does not grow with the documents.

    >>> by_position = torch.tensor([[[[0.0, 1.0, 2.0]] * 3]])
    >>> everywhere = torch.ones(1, 3, 3, dtype=torch.bool)
    >>> sums = HeadSums(1, 1, ("ap", "sem"))
    >>> sums.update(0, {"ap": by_position, "sem": torch.zeros(1, 1, 3, 3)}, everywhere, 0)
    >>> found = sums.result(checkpoint="attends by position only")
    >>> found.share.tolist(), found.classes
    ([[[1.0, 0.0]]], (('structure',),))
    """

    def __init__(self, n_layers: int, n_heads: int, terms: Sequence[str], groups: int = 32) -> None:
        """Prepare empty sums.

        Args:
            n_layers: Layers of the model.
            n_heads: Heads per layer.
            terms: Names of the terms, of `ap`, `sem` and `rp`, in the order of the columns.
            groups: Groups of documents for the standard error, at least 2.

        Raises:
            UserError: If a term is unknown or there are too few groups.
        """
        if not terms or not set(terms) <= set(CLASS_OF_TERM):
            raise UserError(f"terms={tuple(terms)}: want one or more of {tuple(CLASS_OF_TERM)}")
        if groups < 2:
            raise UserError(f"groups={groups}: a standard error needs at least 2")
        self._terms = tuple(terms)
        self._groups = groups
        self._layers = [LayerSums(i, n_heads, self._terms, groups) for i in range(n_layers)]
        self._bias = OffsetMeans(n_layers, n_heads)

    @torch.no_grad()
    def update(
        self,
        layer: int,
        terms: dict[str, Float[Tensor, "_ head query key"]],
        allowed: Bool[Tensor, "batch query key"],
        group: Int[Tensor, " batch"] | int,
    ) -> None:
        """Add one layer of a batch of documents.

        Args:
            layer: Which layer, from 0.
            terms: The addends of the logits, any precision; what they hold at pairs that are
                not allowed does not matter. A term that is the same for every document may
                have a batch axis of 1.
            allowed: True where attention may look and the pair shall count: no padding, no
                special tokens, no keys that causality hides.
            group: A number per document that stays with it, such as its index; documents
                with the same remainder form a group of the jackknife.

        Raises:
            NonFiniteError: If a counted logit is inf or NaN.
        """
        assert set(terms) == set(self._terms), (tuple(terms), self._terms)
        if allowed.device.type == "mps":  # Apple's accelerator has no float64
            terms, allowed = {name: term.cpu() for name, term in terms.items()}, allowed.cpu()
        # A query that sees a single key has nothing to choose.
        counted = allowed & (allowed.sum(dim=-1, keepdim=True) >= 2)
        number = group.cpu().numpy() if isinstance(group, Tensor) else np.array(group)
        groups = np.broadcast_to(number % self._groups, len(allowed))
        self._layers[layer].update(terms, counted, groups)
        if "rp" in terms:
            self._bias.update(layer, terms["rp"], counted)

    def merge(self, other: "HeadSums") -> None:
        """Add what another one has summed, as if its documents had come here."""
        assert self._groups == other._groups, "sums of other groups"
        for own, its in zip(self._layers, other._layers, strict=True):
            own.merge(its)
        self._bias.merge(other._bias)

    def arrays(self) -> Arrays:
        """Return all that was summed, for `restore`."""
        layers = {
            name: np.stack([np.asarray(getattr(layer, name)) for layer in self._layers])
            for name in _OF_LAYERS
        }
        return joined({"layers": layers, "bias": self._bias.arrays()})

    def restore(self, arrays: Arrays) -> None:
        """Take the place of the one whose `arrays` these are; made alike, still empty."""
        parts = split(arrays)
        for name in _OF_LAYERS:
            for layer, values in zip(self._layers, parts["layers"][name], strict=True):
                setattr(layer, name, values if values.ndim else int(values))
        self._bias.restore(parts["bias"])

    def result(
        self, *, checkpoint: str, threshold: float = 0.6, init: HeadsResult | None = None
    ) -> HeadsResult:
        """Divide the sums.

        Args:
            checkpoint: The model's name.
            threshold: The share from which the largest term names the head, above 0.
            init: The result of the same model at random initialisation.

        Raises:
            CorpusError: If a layer has seen no query with two allowed keys.
        """
        if not all(layer.queries for layer in self._layers):
            raise CorpusError("no query has two keys to choose between; use longer documents")
        first = self._layers[0]
        assert all((layer.pairs == first.pairs).all() for layer in self._layers)
        products = np.stack([layer.products for layer in self._layers], axis=1)
        energy = np.stack([layer.energy for layer in self._layers], axis=1)
        share, fraction = variance_shares(products.sum(axis=0), energy.sum(axis=0))
        classes = classify(share, self._terms, threshold=threshold)
        share_se = _share_se(products[first.pairs > 0], energy[first.pairs > 0])
        pairs = int(first.pairs.sum())
        return HeadsResult(
            checkpoint=checkpoint,
            terms=self._terms,
            share=share,
            fraction=fraction,
            share_se=share_se,
            variance=products.sum(axis=0)[..., -1, -1] / pairs,
            divergence=np.stack([layer.divergence for layer in self._layers]) / first.queries,
            classes=classes,
            threshold=threshold,
            class_counts=count_classes(classes),
            documents=first.documents,
            queries=first.queries,
            pairs=pairs,
            undefined=_undefined(self._terms, share, share_se),
            init=init,
            **_groups_by_position(share, self._terms),
            **self._reach(),
        )

    def _reach(self) -> dict[str, Any]:
        sums = np.stack([layer.reach for layer in self._layers]) / self._layers[0].queries
        reach = sums if "rp" in self._terms else np.full_like(sums, np.nan)
        offsets, curve = self._bias.result()
        return {
            "distance": reach[..., 0],
            "near": reach[..., 1],
            "distance_without_rp": reach[..., 2],
            "near_without_rp": reach[..., 3],
            "offsets": offsets,
            "bias_curve": curve,
        }


def _share_se(
    products: Float[np.ndarray, "_group layer head _term _term"],
    energy: Float[np.ndarray, "_group layer head"],
) -> Float[np.ndarray, "layer head _terms"]:
    without = variance_shares(products.sum(axis=0) - products, energy.sum(axis=0) - energy)
    return jackknife_se(without[0])


def _groups_by_position(
    share: Float[np.ndarray, "layer head term"], terms: tuple[str, ...]
) -> dict[str, Any]:
    if "ap" not in terms:
        nan = float("nan")
        return {"hist_counts": None, "hist_edges": None, "separation": nan, "cut": nan}
    ap = share[..., terms.index("ap")]
    ap = ap[np.isfinite(ap)]
    counts, edges = histogram(ap)
    separation, cut = two_groups(ap)
    return {"hist_counts": counts, "hist_edges": edges, "separation": separation, "cut": cut}


def _undefined(
    terms: tuple[str, ...],
    share: Float[np.ndarray, "layer head term"],
    share_se: Float[np.ndarray, "layer head term"],
) -> dict[str, str]:
    """Say why numbers are NaN, by field."""
    found = {}
    flat = int(np.isnan(share).any(axis=-1).sum())
    if flat:
        found["share"] = f"{flat} heads have logits that do not vary"
    if np.isnan(share_se).sum() > np.isnan(share).sum():
        found["share_se"] = "fewer than two groups of documents with logits that vary"
    if "ap" not in terms:
        found["separation"] = "the logits have no ap term"
    elif len(np.unique(share[np.isfinite(share).all(axis=-1)][:, terms.index("ap")])) < 2:
        found["separation"] = "the ap shares do not differ between heads"
    if "rp" not in terms:
        found["distance"] = "the logits have no rp term"
    return found
