"""An attention function for transformers that shows its scores before any mask.

Transformers' fused kernels give no scores at all, and its eager functions give only what
comes after the softmax. This one is registered under a name of its own, gives the same
output, and takes the slow path only where somebody listens.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from torch import Tensor, float32, matmul, nn, softmax
from torch.nn.functional import scaled_dot_product_attention

from posprobe.loaders.recorder import Recorder

NAME = "posprobe"
SITES = ("blocks.{i}.attn.hook_attn_scores", "blocks.{i}.attn.hook_pattern")

_listening: ContextVar[tuple[Recorder, Mapping[int, int]] | None] = ContextVar(
    "posprobe_attention", default=None
)


def register() -> None:
    """Make the attention function known to transformers; once is enough, twice does no harm."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import eager_mask

    AttentionInterface.register(NAME, _attend)
    AttentionMaskInterface.register(NAME, eager_mask)


@contextmanager
def listening(recorder: Recorder, layers: Mapping[int, int]) -> Iterator[None]:
    """Show scores and patterns to `recorder` while the block runs.

    Args:
        recorder: Who listens.
        layers: The layer of each attention module, by the module's `id`.
    """
    token = _listening.set((recorder, layers))
    try:
        yield
    finally:
        _listening.reset(token)


def _attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    **_: Any,
) -> tuple[Tensor, Tensor | None]:
    """Attend as transformers' own functions do: heads on axis 1, an additive mask."""
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    groups = query.shape[1] // key.shape[1]
    key, value = (x.repeat_interleave(groups, dim=1) for x in (key, value))
    recorder, sites = _listener_of(module)
    if recorder is None or recorder.touched.isdisjoint(sites):
        mixed = scaled_dot_product_attention(
            query, key, value, attn_mask=attention_mask, scale=scale
        )
        return mixed.transpose(1, 2).contiguous(), None
    scores = recorder.see(sites[0], matmul(query, key.mT) * scale)
    if attention_mask is not None:
        scores = scores + attention_mask
    pattern = recorder.see(sites[1], softmax(scores, dim=-1, dtype=float32).to(query.dtype))
    return matmul(pattern, value).transpose(1, 2).contiguous(), pattern


def _listener_of(module: nn.Module) -> tuple[Recorder | None, tuple[str, ...]]:
    current = _listening.get()
    if current is None or id(module) not in current[1]:
        return None, ()
    recorder, layers = current
    return recorder, tuple(site.format(i=layers[id(module)]) for site in SITES)
