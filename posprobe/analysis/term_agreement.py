"""How well parts found from the logits alone agree with the terms that a model adds up."""

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from posprobe.analysis.offset_fit import OffsetFit

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
        self._documents = 0
        self._position: Tensor = torch.zeros(())
        self._content: Tensor = torch.zeros(())
        self._squares: dict[str, Tensor] = dict.fromkeys(
            ("position", "relative", "content", "logits", "both"), torch.zeros(())
        )

    def update(self, logits: Rows, terms: Mapping[str, Rows]) -> None:
        """Add a document.

        Args:
            logits: Its centred logits.
            terms: Their centred terms, of `ap`, `rp` and `sem`; the last is always there.
        """
        zero = torch.zeros_like(logits)
        position = sum((terms[name] for name in _POSITIONS if name in terms), zero)
        content = terms[_CONTENT]
        self._documents += 1
        self._position = self._position + position
        self._content = self._content + content
        products = {
            "position": _product(position, position),
            "relative": self._fit.squares(position),
            "content": _product(content, content),
            "logits": _product(logits, logits),
            "both": _product(content, logits),
        }
        self._squares = {name: self._squares[name] + p for name, p in products.items()}

    def result(self, *, mean: Rows, relative: Rows) -> dict[str, Float[np.ndarray, " head"]]:
        """Correlate each part with its term; NaN where one of them does not vary.

        Args:
            mean: The mean of the centred logits over documents, which position decides.
            relative: The part of it that depends on distance only.
        """
        squares, n = self._squares, self._documents
        parts = {"position": mean, "absolute": mean - relative, "relative": relative}
        terms = {
            "position": squares["position"],
            "absolute": squares["position"] - squares["relative"],
            "relative": squares["relative"],
        }
        found = {
            name: _ratio(
                _product(part, self._position),
                n * _product(part, part),
                terms[name],
                of=(squares["logits"], squares["position"]),
            )
            for name, part in parts.items()
        }
        # What differs between documents is what is left of them when their mean is taken off.
        found["content"] = _ratio(
            squares["both"] - _product(mean, self._content),
            squares["logits"] - n * _product(mean, mean),
            squares["content"],
            of=(squares["logits"], squares["logits"]),
        )
        return found


def _product(one: Rows, other: Rows) -> Float[Tensor, " head"]:
    return (one * other).sum(dim=(1, 2))


def _ratio(
    product: Tensor, one: Tensor, other: Tensor, *, of: tuple[Tensor, Tensor]
) -> Float[np.ndarray, " head"]:
    """Divide by the roots of two sums of squares, each beyond rounding beside a larger one."""
    rounding = 1e-12
    defined = (one > rounding * of[0]) & (other > rounding * of[1])
    size = (one.clamp(min=0) * other.clamp(min=0)).sqrt()
    return torch.where(defined, product / size, torch.nan).numpy()
