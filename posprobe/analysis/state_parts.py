"""Splits states into what varies with position, with the document, and with both."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from scipy.fft import dct
from torch import Tensor

from posprobe.analysis.decomposition import StateParts
from posprobe.analysis.finite import require_finite
from posprobe.analysis.resampling import jackknife_se
from posprobe.analysis.spectrum import LOW
from posprobe.core.arrays import Arrays
from posprobe.core.errors import CorpusError

_NOTHING = 1e-13
"""Variance below this part of the mean square is rounding: it is a difference of such squares."""
_SUMMED = ("_documents", "_squares", "_means", "_states")
_FLIPS = 20
"""How often chance is asked how far positions seem to differ: the rank is at the 5 % level."""


@dataclass(frozen=True, kw_only=True)
class _Sums:
    """Sums over some documents.

    Attributes:
        documents: How many.
        states: By position.
        squares: Of the squared norms.
        means: Of the squared norms of each document's mean state.
    """

    documents: float
    states: Float[np.ndarray, "pos d_model"]
    squares: float
    means: float


class StateSums:
    """Adds up states by position and by document; memory does not grow with the corpus.

    h[doc, pos] = mean + position[pos] + content[doc] + rest[doc, pos], after Song and Zhong
    (arXiv 2310.04861), who take the parts as they are; here the variance of each is estimated
    without bias, as in a two-way analysis of variance with one state per cell: the means over
    documents hold a part of the rest too, which is taken off. The position part stays unbiased
    where the rest of neighbouring tokens is related; the content is what is common to a
    document's tokens if the rest is not.

    >>> by_position = torch.arange(4.0)[None, :, None].repeat(3, 1, 2)
    >>> sums = StateSums()
    >>> sums.update(by_position, torch.arange(3))
    >>> found = sums.result(site="blocks.0.hook_resid_post", layer=0)
    >>> found.share.round(6).tolist(), found.rank
    ([1.0, 0.0, 0.0], 1)
    """

    def __init__(self, *, groups: int = 10) -> None:
        """Prepare empty sums.

        Args:
            groups: Groups of documents for the standard error, at least 2.
        """
        assert groups >= 2, "a standard error needs at least 2 groups"
        self._groups = groups
        self._documents = np.zeros(groups)
        self._squares = np.zeros(groups)
        self._means = np.zeros(groups)
        self._states: Float[np.ndarray, "group pos d_model"] | None = None

    @torch.no_grad()
    def update(
        self, states: Float[Tensor, "batch pos d_model"], documents: Int[Tensor, " batch"]
    ) -> None:
        """Add documents.

        Args:
            states: States of one site at the same positions of each document, any precision.
            documents: A number of each that stays with it, such as its index; those with the
                same remainder form a group.

        Raises:
            NonFiniteError: If a state has inf or NaN.
        """
        # One document at a time: a float64 copy of a batch would be as large as its logits.
        for document, number in zip(states, documents.tolist(), strict=True):
            exact = document.cpu().to(torch.float64).numpy()
            require_finite(exact, "states")
            if self._states is None:
                self._states = np.zeros((self._groups, *exact.shape))
            group = number % self._groups
            self._documents[group] += 1
            self._states[group] += exact
            self._squares[group] += (exact**2).sum()
            self._means[group] += (exact.mean(axis=0) ** 2).sum()

    def merge(self, other: "StateSums") -> None:
        """Add what another one has summed, as if its documents had come here."""
        assert self._groups == other._groups, "sums of other groups"
        if other._states is None:
            return
        self._states = other._states + (0.0 if self._states is None else self._states)
        self._documents = self._documents + other._documents
        self._squares = self._squares + other._squares
        self._means = self._means + other._means

    def arrays(self) -> Arrays:
        """Return all that was summed, for `restore`."""
        if self._states is None:
            return {}
        return {name: getattr(self, name) for name in _SUMMED}

    def restore(self, arrays: Arrays) -> None:
        """Take the place of the one whose `arrays` these are; made alike, still empty."""
        for name, values in arrays.items():
            setattr(self, name, values)

    def result(
        self,
        *,
        site: str,
        layer: int | None,
        stream: str = "whole",
        first: int = 0,
        seed: int = 0,
    ) -> StateParts:
        """Split the variance.

        Args:
            site: Hook name of the states.
            layer: Their layer.
            stream: The stream of which the site is part.
            first: The number of the first position.
            seed: Seed of what chance would show.

        Raises:
            CorpusError: If there are fewer than two documents or two positions.
        """
        if self._states is None or self._documents.sum() < 2 or self._states.shape[1] < 2:
            raise CorpusError(f"{site}: want at least two documents of at least two positions")
        groups = np.flatnonzero(self._documents)
        parts = _components(self._part(groups))
        share = _shares(parts)
        apart = [groups[groups != left] for left in groups]
        # Without one of two documents nothing can be told from chance.
        enough = [kept for kept in apart if self._documents[kept].sum() >= 2]
        without = np.array([_shares(_components(self._part(kept))) for kept in enough])
        without = without.reshape(-1, 3)
        states = self._states[groups]
        centred = states - states.mean(axis=1, keepdims=True)
        # Products of different groups hold no noise of their own, since documents are independent.
        power = _crossed(centred)
        waves = np.asarray(dct(centred, type=2, norm="ortho", axis=1))
        rank, peak = self._rank(groups, seed), int(power.argmax())
        smooth = rank > 0 and power.sum() > 0
        nan = float("nan")
        return StateParts(
            site=site,
            layer=layer,
            stream=stream,
            share=share,
            share_se=jackknife_se(without),
            without=without,
            variance=float(sum(parts[:3])),
            rank=rank,
            low4=_low4(waves) if smooth else nan,
            low4_se=_low4_se(waves) if smooth else nan,
            peak=first + peak,
            peak_share=float(power[peak] / power.sum()) if smooth else nan,
            undefined=None if np.isfinite(share).all() else "the states do not vary",
        )

    def _part(self, groups: np.ndarray) -> _Sums:
        assert self._states is not None
        return _Sums(
            documents=float(self._documents[groups].sum()),
            states=self._states[groups].sum(axis=0),
            squares=float(self._squares[groups].sum()),
            means=float(self._means[groups].sum()),
        )

    def _rank(self, groups: np.ndarray, seed: int) -> int:
        """Count directions beyond the widest that chance shows.

        Turning the sign of half of the groups leaves the noise as it is and takes position away.
        """
        assert self._states is not None
        weights = 1 / (self._documents[groups] * len(groups))
        means = self._states[groups] * weights[:, None, None]
        means -= means.mean(axis=1, keepdims=True)
        pairs = len(groups) // 2
        if not pairs:
            return 0
        rng = np.random.default_rng(seed)
        # Of an odd number one is left out: where signs do not balance, position is left.
        signs = np.repeat([1.0, -1.0, 0.0], [pairs, pairs, len(groups) % 2])
        signs *= np.sqrt(len(groups) / (2 * pairs))
        chance = [
            _width(np.tensordot(rng.permutation(signs), means, axes=1)) for _ in range(_FLIPS)
        ]
        spread = np.linalg.svd(means.sum(axis=0), compute_uv=False)
        rounding = np.finfo(np.float64).eps * max(spread.shape) * np.linalg.norm(self._states)
        return int((spread > max(*chance, rounding)).sum())


def _crossed(values: Float[np.ndarray, "group row d_model"]) -> Float[np.ndarray, " row"]:
    """Sum the products of each group with every other one, row by row."""
    whole = values.sum(axis=0)
    return (whole**2).sum(axis=-1) - (values**2).sum(axis=(0, 2))


def _low4(waves: Float[np.ndarray, "group frequency d_model"]) -> float:
    power = _crossed(waves)
    return float(power[LOW].sum() / power.sum())


def _low4_se(waves: Float[np.ndarray, "group frequency d_model"]) -> float:
    groups = len(waves)
    apart = [_low4(np.delete(waves, left, axis=0)) for left in range(groups) if groups > 2]
    return float(jackknife_se(np.array(apart).reshape(-1, 1))[0])


def _width(matrix: Float[np.ndarray, "pos d_model"]) -> float:
    """Return the largest singular value, by a product that is quicker than all of them."""
    rows, columns = matrix.shape
    product = matrix @ matrix.T if rows < columns else matrix.T @ matrix
    return float(np.sqrt(max(0.0, np.linalg.eigvalsh(product)[-1])))


def _components(sums: _Sums) -> tuple[float, float, float, float]:
    """Return the variance of position, content and rest, and what is rounding beside it."""
    n, positions = sums.documents, len(sums.states)
    means = sums.states / n
    centre = (means.mean(axis=0) ** 2).sum()
    of_positions = n * ((means - means.mean(axis=0)) ** 2).sum()
    of_documents = positions * (sums.means - n * centre)
    rest = sums.squares - n * positions * centre - of_positions - of_documents
    each = rest / ((n - 1) * (positions - 1))
    position = (of_positions / (positions - 1) - each) / n
    content = (of_documents / (n - 1) - each) / positions
    return float(position), float(content), float(each), _NOTHING * sums.squares / (n * positions)


def _shares(components: tuple[float, float, float, float]) -> Float[np.ndarray, "3"]:
    *parts, rounding = components
    whole = sum(parts)
    return np.array(parts) / whole if whole > rounding else np.full(3, np.nan)
