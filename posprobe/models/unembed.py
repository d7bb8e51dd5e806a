"""From the last state to logits."""

from jaxtyping import Float
from torch import Tensor, nn
from transformer_lens.hook_points import HookPoint


class Unembed(nn.Module):
    """A linear head whose output, the logits, is a site: `unembed.hook_out`."""

    def __init__(self, d_in: int, d_vocab: int, *, bias: bool) -> None:
        super().__init__()
        self.head = nn.Linear(d_in, d_vocab, bias=bias)
        self.hook_out = HookPoint()

    def forward(self, x: Float[Tensor, "... d_in"]) -> Float[Tensor, "... d_vocab"]:
        """Return one logit per entry of the vocabulary."""
        return self.hook_out(self.head(x))
