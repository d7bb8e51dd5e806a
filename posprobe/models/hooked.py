"""The one way to run the models posprobe builds itself."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from transformer_lens import HookedRootModule

from posprobe.core.provenance import CheckpointSource
from posprobe.data.tokenizer import Tokenizer
from posprobe.models.checks import check_sites, check_tokens
from posprobe.models.position_table import PositionTable
from posprobe.models.protocol import Edit, ModelInfo

NO_SOURCE = CheckpointSource(ref="(in memory)", format="none", sha256="")


class HookedModel(HookedRootModule, ABC):
    """A TransformerLens root module that answers the `Model` protocol.

    Subclasses set `self.cfg`, build their layers, then call `finish`.
    """

    tokenizer: Tokenizer | None = None
    source: CheckpointSource = NO_SOURCE

    @property
    @abstractmethod
    def info(self) -> ModelInfo:
        """Return the facts about this model."""

    @abstractmethod
    def reset_parameters(self, *, mean: float = 0.0, std: float | None = None) -> None:
        """Draw every weight anew from torch's global generator."""

    @abstractmethod
    def position_table(self) -> PositionTable | None:
        """Return the learned position table, or None where there is none."""

    def finish(self) -> None:
        """Name the hooks, draw the weights, and switch to evaluation."""
        self.setup()
        self.reset_parameters()
        self.eval()

    def sites(self) -> tuple[str, ...]:
        """Return the names of the activations this model can give."""
        return tuple(self.hook_dict)

    def run(
        self,
        tokens: Int[Tensor, "batch pos"],
        mask: Bool[Tensor, "batch pos"] | None = None,
        sites: Sequence[str] = (),
        edits: Sequence[Edit] = (),
    ) -> dict[str, Float[Tensor, "..."]]:
        """Run the model without gradients and return the asked activations.

        Raises:
            UserError: If a site does not exist, a token is not in the vocabulary, or the
                sequence is too long.
        """
        check_sites((*sites, *(site for site, _ in edits)), self.sites())
        check_tokens(tokens, self.info)
        kept: dict[str, Tensor] = {}

        def keep(activation: Tensor, hook: nn.Module) -> None:
            # No module writes into what it has shown, but an edit may.
            if edits or not _is_fresh(activation):
                activation = activation.clone(memory_format=torch.contiguous_format)
            kept[str(hook.name)] = activation.detach()

        hooks: list[Any] = [(site, lambda x, hook, edit=edit: edit(x)) for site, edit in edits]
        hooks += [(site, keep) for site in sites]
        with torch.no_grad():
            self.run_with_hooks(tokens, mask, fwd_hooks=hooks)
        return kept

    def reinit(self, seed: int, *, mean: float = 0.0, std: float | None = None) -> "HookedModel":
        """Return the same architecture with random weights."""
        fresh = copy.deepcopy(self)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            fresh.reset_parameters(mean=mean, std=std)
        return fresh


def _is_fresh(activation: Tensor) -> bool:
    """Say whether a tensor was made by this run alone: no weight, and no slice of another one.

    A slice would keep all of the other one alive.
    """
    return activation._base is None and activation.is_contiguous() and not activation.requires_grad


def draw_matrices(named: Iterable[tuple[str, nn.Parameter]], *, mean: float, std: float) -> None:
    """Fill every weight matrix and embedding from one normal distribution, in place."""
    for _, parameter in named:
        if parameter.ndim > 1:
            nn.init.normal_(parameter, mean=mean, std=std)
