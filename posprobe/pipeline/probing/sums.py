"""Sums from which the linear probes of all readings follow."""

from collections.abc import Sequence

from jaxtyping import Float, Int
from torch import Tensor

from posprobe.analysis.ridge_sums import RidgeSums
from posprobe.core.arrays import Arrays, joined, split


class ProbeSums:
    """One `RidgeSums` for each reading, made when the first states say how wide they are.

    Attributes:
        readings: Those of the readings, in order; empty before the first tokens.
    """

    def __init__(self, sites: Sequence[str], *, folds: int, targets: int) -> None:
        """Prepare empty sums.

        Args:
            sites: Where each reading comes from, for messages.
            folds: Groups of training documents.
            targets: Columns of the targets.
        """
        self._sites = tuple(sites)
        self._folds = folds
        self._targets = targets
        self.readings: list[RidgeSums] = []

    def update(
        self,
        states: Sequence[Float[Tensor, "sample _"]],
        targets: Float[Tensor, "sample target"],
        fold: Int[Tensor, " sample"],
    ) -> None:
        """Add tokens.

        Args:
            states: What is read of each token, reading by reading.
            targets: One row per token.
            fold: The fold of each token's document.
        """
        if not self.readings:
            self.readings = self._made([part.shape[1] for part in states])
        for sums, part in zip(self.readings, states, strict=True):
            sums.update(part, targets, fold)

    def merge(self, other: "ProbeSums") -> None:
        """Add what another one has summed, as if its tokens had come here."""
        if not self.readings:
            self.readings = other.readings
        elif other.readings:
            for own, its in zip(self.readings, other.readings, strict=True):
                own.merge(its)

    def arrays(self) -> Arrays:
        """Return all that was summed, for `restore`."""
        return joined({str(index): sums.arrays() for index, sums in enumerate(self.readings)})

    def restore(self, arrays: Arrays) -> None:
        """Take the place of the one whose `arrays` these are; made alike, still empty."""
        if not arrays:  # no tokens came
            return
        parts = split(arrays)
        kept = [parts[str(index)] for index in range(len(self._sites))]
        self.readings = self._made([int(part["width"]) for part in kept])
        for sums, part in zip(self.readings, kept, strict=True):
            sums.restore(part)

    def _made(self, widths: Sequence[int]) -> list[RidgeSums]:
        return [
            RidgeSums(folds=self._folds, width=width, targets=self._targets, site=site)
            for site, width in zip(self._sites, widths, strict=True)
        ]
