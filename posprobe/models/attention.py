"""Attention whose scores can be listened to at no cost when nobody listens."""

from abc import ABC
from collections.abc import Mapping
from functools import reduce

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from transformer_lens.hook_points import HookPoint

from posprobe.models.hooks import add_hooks, hook_at, is_heard

Heads = Float[Tensor, "batch pos head d_head"]


class Attention(nn.Module, ABC):
    """The part every attention shares: logits as a sum of terms, one softmax, values.

    Args:
        d_head: Width of a head's queries and keys; logits are divided by its root.
        terms: Names of the addends, the relative bias last; empty if there is only one.

    `hook_attn_scores` and `hook_attn_scores_<term>` hold finite numbers, before any mask.
    """

    def __init__(self, d_head: int, terms: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.scale = d_head**-0.5
        self.terms = terms
        self.hook_attn_scores = HookPoint()
        self.hook_pattern = HookPoint()
        add_hooks(self, (f"hook_attn_scores_{term}" for term in terms))

    def attend(
        self,
        content: Mapping[str, tuple[Heads, Heads]],
        values: Heads,
        *,
        bias: Float[Tensor, "#batch head query key"] | None,
        allowed: Bool[Tensor, "#batch 1 query key"] | None,
        causal: bool = False,
    ) -> Heads:
        """Mix values by the softmax of the summed terms.

        Args:
            content: Queries and keys of each content term.
            values: What is mixed.
            bias: The relative bias, the last term.
            allowed: Which keys a query may see; None: all.
            causal: That `allowed` is the causal triangle and nothing else, which has a
                faster kernel.
        """
        v = values.transpose(1, 2)
        if self._heard():
            z = self._explicit(content, v, bias, allowed)
        else:
            z = self._fused(content, v, bias, allowed, causal)
        return z.transpose(1, 2)

    def _heard(self) -> bool:
        terms = (hook_at(self, f"hook_attn_scores_{term}") for term in self.terms)
        return any(map(is_heard, (self.hook_attn_scores, self.hook_pattern, *terms)))

    def _fused(self, content, v, bias, allowed, causal) -> Tensor:
        # The sum of the streams' dot products is the dot product of their concatenation.
        q = torch.cat([q for q, _ in content.values()], dim=-1).transpose(1, 2)
        k = torch.cat([k for _, k in content.values()], dim=-1).transpose(1, 2)
        if causal:
            return scaled_dot_product_attention(q, k, v, is_causal=True, scale=self.scale)
        mask = allowed
        if bias is not None:
            mask = bias if allowed is None else bias.masked_fill(~allowed, -torch.inf)
            mask = mask.to(q.dtype)
            if mask.requires_grad and mask.device.type == "cpu":
                # No fused kernel of a CPU has gradients of a bias; what takes its place there
                # scales queries and keys apart, and looks for rows without any key.
                scores = (q * self.scale) @ k.transpose(-2, -1)
                return scores.add_(mask).softmax(-1) @ v
        return scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=self.scale)

    def _explicit(self, content, v, bias, allowed) -> Tensor:
        terms = {
            name: torch.einsum("bqhd,bkhd->bhqk", q, k).mul_(self.scale)
            for name, (q, k) in content.items()
        }
        if bias is not None:
            terms["rp"] = bias
        if self.terms:
            terms = {t: hook_at(self, f"hook_attn_scores_{t}")(s) for t, s in terms.items()}
        scores = self.hook_attn_scores(reduce(torch.add, terms.values()))
        if allowed is not None:
            scores = scores.masked_fill(~allowed, -torch.inf)
        pattern = self.hook_pattern(scores.softmax(-1))
        return pattern.to(v.dtype) @ v


def allowed_keys(
    mask: Bool[Tensor, "batch pos"] | None, *, length: int, causal: bool, device: torch.device
) -> Bool[Tensor, "#batch 1 query key"] | None:
    """Say which keys each query may see, from causality and padding alone.

    A padded query that could see nothing sees itself, so that no softmax is empty.

    Returns:
        True where attention is allowed; None if it is allowed everywhere.
    """
    allowed = None
    if causal:
        allowed = torch.ones(1, 1, length, length, dtype=torch.bool, device=device).tril()
    if mask is not None and not bool(mask.all()):
        keys = mask[:, None, None, :]
        allowed = keys.expand(-1, 1, length, -1) if allowed is None else allowed & keys
        itself = torch.eye(length, dtype=torch.bool, device=device)
        allowed = allowed | (itself & ~allowed.any(-1, keepdim=True))
    return allowed
