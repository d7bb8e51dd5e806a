"""Splits the attention logits of any head into absolute position, distance and content."""

from collections.abc import Callable, Mapping

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from posprobe.analysis.decomposition import AGREEMENT_PARTS, LOGIT_PARTS, LogitParts
from posprobe.analysis.finite import require_none_bad
from posprobe.analysis.head_classes import classify, count_classes
from posprobe.analysis.head_shares import shares_of
from posprobe.analysis.offset_fit import OffsetFit, near_offsets, products
from posprobe.analysis.resampling import jackknife_se
from posprobe.analysis.term_agreement import TermAgreement
from posprobe.core.arrays import Arrays, joined, split
from posprobe.core.errors import CorpusError

REACH = 32
"""The curve of the relative part is kept up to this distance."""
_TERMS = {"absolute": "ap", "content": "sem", "relative": "rp"}
"""Which exact term each part of the logits stands for, where a model has one."""
_SUMMED = ("_documents", "_sums", "_squares", "_relative", "_energy")


class LogitPartSums:
    """Adds up the logits of heads over documents of one length; memory does not grow with them.

    What the logits of the same pair of positions have in common over documents is decided by
    position, what differs is content. The common part is fitted by r(key − query) + c(query)
    (least squares over the allowed pairs): the fit is relative, its remainder absolute. The
    definition is ours. Variances are unbiased: the mean over documents holds a part of the
    content, which is taken off.

    >>> by_distance = -(torch.arange(8.0)[None, :] - torch.arange(8.0)[:, None]).abs()
    >>> sums = LogitPartSums(1, 1, torch.ones(8, 8, dtype=torch.bool))
    >>> sums.update(0, by_distance.repeat(3, 1, 1, 1), torch.arange(3))
    >>> found = sums.result()
    >>> found.share.round(6).tolist(), found.classes
    ([[[0.0, 0.0, 1.0]]], (('relative',),))
    """

    def __init__(
        self,
        n_layers: int,
        n_heads: int,
        allowed: Bool[Tensor, "*layer query key"],
        *,
        terms: tuple[str, ...] = (),
        groups: int = 10,
    ) -> None:
        """Prepare empty sums.

        Args:
            n_layers: Layers of the model.
            n_heads: Heads per layer.
            allowed: The pairs that count, the same in every document; of each layer, or of all.
            terms: Names of the exact terms that come with the logits, of `ap`, `sem`, `rp`.
            groups: Groups of documents for the standard error, at least 2.
        """
        assert groups >= 2, "a standard error needs at least 2 groups"
        size = allowed.shape[-1]
        self._fits = _fits(allowed.expand(n_layers, size, size))
        self._documents = np.zeros(groups)
        shape = (n_layers, n_heads, groups)
        # Made when the first logits come, since they are large.
        self._sums: Float[np.ndarray, "layer head group query key"] | None = None
        self._shape = (*shape, size, size)
        self._squares = np.zeros(shape)
        self._relative = np.zeros(shape)
        self._energy = np.zeros((n_layers, n_heads))
        self._terms = tuple(terms)
        self._agreement = [TermAgreement(fit) for fit in self._fits if terms]

    @torch.no_grad()
    def update(
        self,
        layer: int,
        logits: Float[Tensor, "batch head query key"],
        documents: Int[Tensor, " batch"],
        terms: Mapping[str, Float[Tensor, "_ head query key"]] | None = None,
    ) -> None:
        """Add one layer of some documents.

        Args:
            layer: Which layer, from 0.
            logits: Before any mask and softmax, any precision; what they hold at pairs that do
                not count does not matter.
            documents: A number of each that stays with it, such as its index; those with the
                same remainder form a group.
            terms: The exact terms, if any were announced; a batch axis of 1 is all documents'.

        Raises:
            NonFiniteError: If a counted logit is inf or NaN.
        """
        fit = self._fits[layer]
        allowed = fit.allowed
        if self._sums is None:
            self._sums = np.zeros(self._shape)
        groups = documents.cpu().numpy() % len(self._documents)
        for index, (document, group) in enumerate(zip(logits, groups, strict=True)):
            self._documents[group] += layer == 0
            exact = torch.where(allowed, document.cpu().to(torch.float64), 0.0)
            energy = products(exact, exact)
            if not bool(torch.isfinite(energy).all()):
                bad = int((~torch.isfinite(exact)).sum())
                require_none_bad(bad, int(allowed.sum()) * len(exact), f"layer {layer}, logits")
            rows = fit.centred(exact)
            self._sums[layer, :, group] += rows.numpy()
            self._squares[layer, :, group] += products(rows, rows).numpy()
            self._relative[layer, :, group] += fit.squares(rows).numpy()
            self._energy[layer] += energy.numpy()
            if terms:
                own = {name: terms[name][index % len(terms[name])] for name in self._terms}
                known = {n: fit.centred(t.cpu().to(torch.float64)) for n, t in own.items()}
                self._agreement[layer].update(rows, known)

    def merge(self, other: "LogitPartSums") -> None:
        """Add what another one has summed, as if its documents had come here."""
        if other._sums is None:
            return
        if self._sums is None:
            self._sums = np.zeros(self._shape)
        for name in _SUMMED:
            own = getattr(self, name)
            own += getattr(other, name)
        for terms, its in zip(self._agreement, other._agreement, strict=True):
            terms.merge(its)

    def arrays(self) -> Arrays:
        """Return all that was summed, for `restore`."""
        if self._sums is None:
            return {}
        own = {name: getattr(self, name) for name in _SUMMED}
        return joined(
            {"own": own, **{str(i): terms.arrays() for i, terms in enumerate(self._agreement)}}
        )

    def restore(self, arrays: Arrays) -> None:
        """Take the place of the one whose `arrays` these are; made alike, still empty."""
        if not arrays:
            return
        parts = split(arrays)
        for name, values in parts["own"].items():
            setattr(self, name, values)
        for layer, terms in enumerate(self._agreement):
            terms.restore(parts[str(layer)])

    def result(self, *, threshold: float = 0.6) -> LogitParts:
        """Split the variance.

        Args:
            threshold: The share from which the largest part names the head, above 0.

        Raises:
            CorpusError: If there are fewer than two documents.
        """
        documents = self._documents
        if self._sums is None or documents.sum() < 2:
            raise CorpusError("logits: want at least two documents, to tell position from content")
        total = self._sums.sum(axis=2)
        share = self._shares(total)
        # Without one of two documents position cannot be told from content.
        enough = np.flatnonzero((documents > 0) & (documents.sum() - documents >= 2))
        without = np.array([self._shares(total, left) for left in enough.tolist()])
        classes = classify(share, tuple(_TERMS[part] for part in LOGIT_PARTS), threshold=threshold)
        mean = torch.from_numpy(total / documents.sum())
        size, causal = mean.shape[-1], not bool(self._fits[0].allowed.triu(1).any())
        offsets = near_offsets(size, REACH, causal=causal)
        pairs = np.array([[int(fit.allowed.sum())] for fit in self._fits])
        curve = self._fitted(OffsetFit.curve, mean).numpy()[..., offsets + size - 1]
        seen = np.stack([fit.seen(offsets) for fit in self._fits])[:, None]
        return LogitParts(
            share=share,
            share_se=jackknife_se(without.reshape(-1, *share.shape)),
            variance=self._squares.sum(axis=2) / (documents.sum() * pairs),
            classes=classes,
            threshold=threshold,
            class_counts=count_classes(classes),
            curve=np.where(seen, curve, np.nan),
            offsets=offsets,
            agreement=self._agreements(mean),
        )

    def _fitted(
        self,
        what: Callable[[OffsetFit, Tensor], Tensor],
        mean: Float[Tensor, "layer head query key"],
    ) -> Float[Tensor, "layer head ..."]:
        return torch.stack([what(fit, rows) for fit, rows in zip(self._fits, mean, strict=True)])

    def _shares(
        self, total: Float[np.ndarray, "layer head query key"], left: int | None = None
    ) -> Float[np.ndarray, "layer head 3"]:
        """Split the variance over all groups of documents, or over all but one."""
        assert self._sums is not None
        documents = self._documents
        kept = np.arange(len(documents)) != left
        n = documents[kept].sum()
        mean = (total if left is None else total - self._sums[:, :, left]) / n
        of_mean = (mean**2).sum(axis=(2, 3))
        content = (self._squares[..., kept].sum(axis=-1) - n * of_mean) / (n - 1)
        position = of_mean - content / n
        fitted = self._fitted(OffsetFit.squares, torch.from_numpy(mean)).numpy()
        spread = (self._relative[..., kept].sum(axis=-1) - n * fitted) / (n - 1)
        relative = fitted - spread / n
        parts = np.stack([position - relative, content, relative], axis=-1)
        return shares_of(parts, position + content, self._energy / documents.sum())

    def _agreements(
        self, mean: Float[Tensor, "layer head query key"]
    ) -> Float[np.ndarray, "layer head part"]:
        if not self._agreement:
            return np.zeros((*mean.shape[:2], 0))
        relative = self._fitted(OffsetFit.part, mean)
        squares = torch.from_numpy(self._squares.sum(axis=2))
        found = [
            sums.result(mean=m, relative=r, logits=s, documents=float(self._documents.sum()))
            for sums, m, r, s in zip(self._agreement, mean, relative, squares, strict=True)
        ]
        return np.stack([np.stack([f[part] for part in AGREEMENT_PARTS], axis=-1) for f in found])


def _fits(allowed: Bool[Tensor, "layer query key"]) -> list[OffsetFit]:
    """Make a fit per layer; layers that see alike share one, since it takes long to make."""
    made: dict[bytes, OffsetFit] = {}
    kinds = [layer.numpy().tobytes() for layer in allowed]
    for kind, layer in zip(kinds, allowed, strict=True):
        if kind not in made:
            made[kind] = OffsetFit(layer)
    return [made[kind] for kind in kinds]
