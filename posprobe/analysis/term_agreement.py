"""How well parts found from the logits alone agree with the terms that a model adds up."""

from collections.abc import Mapping
from functools import reduce

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from posprobe.analysis.offset_fit import OffsetFit, products
from posprobe.core.arrays import Arrays

Rows = Float[Tensor, "head query key"]

_POSITIONS = ("ap", "rp")
_CONTENT = "sem"


class TermAgreement:
    """Correlates, for one layer, the parts of the logits with the terms they stand for.

    The terms of position, ap + rp, are split by the same fit into what depends on distance and
    what does not. All logits come centred over each query's keys, so a correlation needs no
    means. Sums over documents and pairs are float64 and of fixed size.
    """

    def __init__(self, fit: OffsetFit) -> None:
        """Prepare empty sums.

        Args:
            fit: What splits position.
        """
        self._fit = fit
        self._position: Tensor = torch.zeros(())
        self._content: Tensor = torch.zeros(())
        self._squares: dict[str, Tensor] = dict.fromkeys(
            ("position", "relative", "content", "both"), torch.zeros(())
        )

    def update(self, logits: Rows, terms: Mapping[str, Rows]) -> None:
        """Add a document.

        Args:
            logits: Its centred logits.
            terms: Their centred terms, of `ap`, `rp` and `sem`; the last is always there.
        """
        known = [terms[name] for name in _POSITIONS if name in terms]
        position = reduce(torch.add, known, torch.zeros(1, 1, 1, dtype=logits.dtype))
        content = terms[_CONTENT]
        self._position = self._position + position
        self._content = self._content + content
        found = {
            "position": products(position, position),
            "relative": self._fit.squares(position),
            "content": products(content, content),
            "both": products(content, logits),
        }
        self._squares = {name: self._squares[name] + p for name, p in found.items()}

    def merge(self, other: "TermAgreement") -> None:
        """Add what another one has summed, as if its documents had come here."""
        self._position = self._position + other._position
        self._content = self._content + other._content
        self._squares = {name: own + other._squares[name] for name, own in self._squares.items()}

    def arrays(self) -> Arrays:
        """Return all that was summed, for `restore`."""
        sums = {"position": self._position, "content": self._content}
        return {
            **{f"sum of {name}": total.numpy() for name, total in sums.items()},
            **{f"squares of {name}": total.numpy() for name, total in self._squares.items()},
        }

    def restore(self, arrays: Arrays) -> None:
        """Take the place of the one whose `arrays` these are; made alike, still empty."""
        sums = {name: torch.from_numpy(values) for name, values in arrays.items()}
        self._position, self._content = sums["sum of position"], sums["sum of content"]
        self._squares = {name: sums[f"squares of {name}"] for name in self._squares}

    def result(
        self, *, mean: Rows, relative: Rows, logits: Float[Tensor, " head"], documents: float
    ) -> dict[str, Float[np.ndarray, " head"]]:
        """Correlate each part with its term; NaN where one of them does not vary.

        Args:
            mean: The mean of the centred logits over documents, which position decides.
            relative: The part of it that depends on distance only.
            logits: Sums of squares of the centred logits of all documents.
            documents: How many there were.
        """
        squares, n = self._squares, documents
        parts = {"position": mean, "absolute": mean - relative, "relative": relative}
        terms = {
            "position": squares["position"],
            "absolute": squares["position"] - squares["relative"],
            "relative": squares["relative"],
        }
        found = {
            name: _ratio(
                products(part, self._position),
                n * products(part, part),
                terms[name],
                of=(logits, squares["position"]),
            )
            for name, part in parts.items()
        }
        # What differs between documents is what is left of them when their mean is taken off.
        found["content"] = _ratio(
            squares["both"] - products(mean, self._content),
            logits - n * products(mean, mean),
            squares["content"],
            of=(logits, logits),
        )
        return found


def _ratio(
    product: Tensor, one: Tensor, other: Tensor, *, of: tuple[Tensor, Tensor]
) -> Float[np.ndarray, " head"]:
    """Divide by the roots of two sums of squares, each beyond rounding beside a larger one."""
    rounding = 1e-12
    defined = (one > rounding * of[0]) & (other > rounding * of[1])
    size = (one.clamp(min=0) * other.clamp(min=0)).sqrt()
    return torch.where(defined, product / size, torch.nan).numpy()
