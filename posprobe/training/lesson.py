"""What one forward pass is given."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor


@dataclass(frozen=True, kw_only=True, eq=False)
class Lesson:
    """One forward pass: what the model reads, where it must answer, and what is right.

    Attributes:
        tokens: Token ids.
        mask: True on real tokens; None: no padding that the model could notice.
        at: Places in the flattened batch (row · length + column) that must be predicted.
        targets: The right token at each.
        n_tokens: Tokens read, without padding.
    """

    tokens: Int[Tensor, "batch pos"]
    mask: Bool[Tensor, "batch pos"] | None
    at: Int[Tensor, " sample"]
    targets: Int[Tensor, " sample"]
    n_tokens: int

    def to(self, device: torch.device) -> "Lesson":
        """Copy to where the model is."""
        if device.type == "cpu":
            return self
        return Lesson(
            tokens=self.tokens.to(device, non_blocking=True),
            mask=None if self.mask is None else self.mask.to(device, non_blocking=True),
            at=self.at.to(device, non_blocking=True),
            targets=self.targets.to(device, non_blocking=True),
            n_tokens=self.n_tokens,
        )
