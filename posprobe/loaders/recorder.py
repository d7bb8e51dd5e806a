"""What one run keeps and changes, whatever the hooks hang on."""

from collections.abc import Sequence

import torch
from torch import Tensor

from posprobe.core.errors import UserError
from posprobe.models.protocol import Edit


class Recorder:
    """Sees activations pass by name: applies the edits to them, then keeps the asked ones.

    Attributes:
        kept: Copies of the asked activations. A view would keep all of its tensor alive.
    """

    def __init__(self, sites: Sequence[str], edits: Sequence[Edit]) -> None:
        self._sites = frozenset(sites)
        self._edits = tuple(edits)
        self.kept: dict[str, Tensor] = {}
        self.touched = self._sites | {site for site, _ in self._edits}

    def see(self, site: str, activation: Tensor) -> Tensor:
        """Return the activation that the model shall go on with."""
        for name, edit in self._edits:
            if name == site:
                activation = _same_shape(site, activation, edit(activation))
        if site in self._sites:
            self.kept[site] = activation.detach().clone(memory_format=torch.contiguous_format)
        return activation

    def check_complete(self) -> None:
        """Refuse to pass over a site in silence.

        Raises:
            UserError: If the model never came by an asked site.
        """
        silent = sorted(self._sites - self.kept.keys())
        if silent:
            raise UserError(f"the model never computes {silent[0]!r}, so it cannot be read.")


def _same_shape(site: str, before: Tensor, after: Tensor) -> Tensor:
    if after.shape != before.shape:
        raise UserError(
            f"the edit of {site!r} returns shape {tuple(after.shape)} in place of "
            f"{tuple(before.shape)}."
        )
    return after.to(before.dtype)
