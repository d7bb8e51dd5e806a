"""What every model of transformers shares once posprobe has wrapped it."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from posprobe.core.errors import UserError
from posprobe.core.provenance import CheckpointSource
from posprobe.data.tokenizer import Tokenizer
from posprobe.loaders.huggingface_tables import Family
from posprobe.loaders.position_rows import position_rows
from posprobe.loaders.quiet import quiet
from posprobe.loaders.recorder import Recorder
from posprobe.models.checks import check_sites, check_tokens
from posprobe.models.position_table import PositionTable
from posprobe.models.protocol import Edit, ModelInfo

LOGITS = "unembed.hook_out"


class WrappedModel(ABC):
    """A transformers model that answers the `Model` protocol.

    Args:
        network: The model, in evaluation mode.
        family: What the table knows about its `model_type`; None if nothing.
        info: The facts about it.
        source: Where it came from.
        tokenizer: Its tokenizer, if there is one.
    """

    def __init__(
        self,
        network: Any,
        family: Family | None,
        *,
        info: ModelInfo,
        source: CheckpointSource,
        tokenizer: Tokenizer | None,
    ) -> None:
        self.info, self.source, self.tokenizer = info, source, tokenizer
        self._network = network.eval()
        self._family = family
        self._config = copy.deepcopy(network.config)
        # Wrapping may move modules about, so what is needed later is looked up before it.
        self._base = network.base_model
        path = family.table_path() if family else None
        embedding = self._base.get_submodule(path) if path else None
        self._table: nn.Parameter | None = getattr(embedding, "weight", None)
        self._offset = family.offset(self._config.to_dict()) if family else 0
        # OPT's own embedding adds its offset; the fairseq encoders want it added already.
        self._shift = 0 if hasattr(embedding, "offset") else self._offset
        # Which layer each module that calls the attention function belongs to.
        self._layers: dict[int, int] = {}
        if family:
            for layer in range(info.n_layers):
                caller = self._base.get_submodule(family.attention.format(i=layer))
                self._layers[id(caller)] = layer

    @abstractmethod
    def sites(self) -> tuple[str, ...]:
        """Return the names of the activations this model can give."""

    @abstractmethod
    def _forward(self, inputs: dict[str, Tensor], recorder: Recorder) -> None:
        """Run the model once, showing `recorder` every site that it touches."""

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
        recorder = Recorder(sites, edits)
        with torch.no_grad():
            self._forward(self._inputs(tokens, mask), recorder)
        recorder.check_complete()
        return recorder.kept

    def reinit(self, seed: int, *, mean: float = 0.0, std: float | None = None) -> "WrappedModel":
        """Return the same architecture with random weights.

        Args:
            seed: Seed of the weights.
            mean: Mean of every weight matrix and embedding, if `std` is given.
            std: Their standard deviation. None: as transformers initialises the architecture.
        """
        first = next(self._network.parameters())
        with torch.random.fork_rng(devices=[]), quiet():
            torch.manual_seed(seed)
            network = type(self._network)(copy.deepcopy(self._config)).to(torch.float32)
            if std is not None:
                matrices = [weight for weight in network.parameters() if weight.ndim > 1]
                for matrix in matrices:
                    nn.init.normal_(matrix, mean=mean, std=std)
            network.set_attn_implementation(self._config._attn_implementation)
            return type(self)(
                network.to(device=first.device, dtype=first.dtype),
                self._family,
                info=self.info,
                source=replace(self.source, trained={}),
                tokenizer=self.tokenizer,
            )

    def position_table(self) -> PositionTable | None:
        """Return the rows that tokens read of the learned table, or None where there is none."""
        if self._table is None:
            return None
        return position_rows(self._table.detach().double().cpu().numpy(), self._offset)

    def _inputs(self, tokens: Tensor, mask: Tensor | None) -> dict[str, Tensor]:
        """Number the tokens by the mask, so that padding in front shifts nothing."""
        tokens = tokens.to(next(self._network.parameters()).device)
        mask = torch.ones_like(tokens) if mask is None else mask.to(tokens)
        inputs = {"input_ids": tokens, "attention_mask": mask}
        if self._family is None:
            if bool((mask.diff(dim=1) > 0).any()):
                raise UserError(
                    f"how {self.info.architecture} numbers tokens behind padding is not known: "
                    "pad at the end"
                )
            return inputs
        # A padded place reads a token's row, never the rows that the offset leaves out.
        positions = (mask.cumsum(dim=1) - 1).clamp(min=0) + self._shift
        return inputs | {"position_ids": positions}
