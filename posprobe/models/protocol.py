"""What posprobe asks of a model, whoever wrote it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from jaxtyping import Bool, Float, Int
from torch import Tensor

from posprobe.core.provenance import CheckpointSource
from posprobe.data.tokenizer import Tokenizer
from posprobe.models.position_table import PositionTable

Edit = tuple[str, Callable[[Tensor], Tensor]]
"""An intervention: a site's name, and what to put in place of its activation."""


@dataclass(frozen=True, kw_only=True)
class ModelInfo:
    """The facts about a model that measures and readers need.

    Attributes:
        architecture: Family, such as `encoder`, `nanogpt` or `GPT2LMHeadModel`.
        n_layers: Number of blocks.
        n_heads: Query heads per block.
        d_model: Width of the residual stream (both streams together).
        d_head: Width of a head's queries and keys.
        n_ctx: Longest sequence, in tokens.
        d_vocab: Size of the vocabulary.
        causal: Whether a query sees only keys before it and itself.
        position: How position enters: `learned`, `sinusoidal`, `rope`, `rp`, `dstg` or `none`.
        streams: Names of the separate residual streams (`ap`, `sem`), or empty.
        residual: `plain` (pre-norm), `normed` (added to the normalised state), `post-norm`
            or `parallel` (attention and MLP read the same state).
        logit_terms: The exact addends of the attention logits, if the model has them.
        pad_id: The padding token, if there is one.
        special_ids: Tokens that are not text, padding included.
        n_parameters: Number of weights.
        has_head: Whether the checkpoint can predict tokens.
        equal_lengths: Whether its outputs depend on padding, so that it must be run on
            batches of equal length.
        reach: How many tokens away a key may be to be seen, by layer; None: any number. Empty
            where no layer has such a window.
    """

    architecture: str
    n_layers: int
    n_heads: int
    d_model: int
    d_head: int
    n_ctx: int
    d_vocab: int
    causal: bool
    position: str
    streams: tuple[str, ...] = ()
    residual: str = "plain"
    logit_terms: tuple[str, ...] = ()
    pad_id: int | None = None
    special_ids: tuple[int, ...] = ()
    n_parameters: int = 0
    has_head: bool = True
    equal_lengths: bool = False
    reach: tuple[int | None, ...] = ()


@runtime_checkable
class Model(Protocol):
    """A loaded model: facts, sites, and one way to run it.

    Sites are TransformerLens hook names (`blocks.3.hook_resid_post`).
    """

    source: CheckpointSource
    tokenizer: Tokenizer | None

    @property
    def info(self) -> ModelInfo:
        """Return the facts about this model."""
        ...

    def sites(self) -> tuple[str, ...]:
        """Return the names of the activations this model can give."""
        ...

    def run(
        self,
        tokens: Int[Tensor, "batch pos"],
        mask: Bool[Tensor, "batch pos"] | None = None,
        sites: Sequence[str] = (),
        edits: Sequence[Edit] = (),
    ) -> dict[str, Float[Tensor, "..."]]:
        """Run the model without gradients and return the asked activations.

        Args:
            tokens: Token ids.
            mask: True on real tokens, False on padding. None: no padding.
            sites: Hook names; `unembed.hook_out` gives the logits.
            edits: Interventions, applied in order before a site is read.

        Raises:
            UserError: If a site does not exist; the message lists those that do.
        """
        ...

    def reinit(self, seed: int, *, mean: float = 0.0, std: float | None = None) -> "Model":
        """Return the same architecture with random weights.

        Args:
            seed: Seed of the weights.
            mean: Mean of every weight matrix and embedding.
            std: Their standard deviation. None: as the architecture is usually initialised.
        """
        ...

    def position_table(self) -> PositionTable | None:
        """Return the learned position table, or None where there is none."""
        ...
