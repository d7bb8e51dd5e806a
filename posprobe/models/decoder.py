"""The nanoGPT family, with or without a position encoding, causal or not.

Written from the layout of nanoGPT's checkpoints and of the fork behind arXiv 2501.00073:
pre-norm blocks, GELU, optional biases, a head tied to the token embedding.
"""

import copy
import math
from dataclasses import replace
from typing import cast

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from transformer_lens.hook_points import HookPoint

from posprobe.models.attention import Attention, allowed_keys
from posprobe.models.config import DecoderConfig
from posprobe.models.hooked import HookedModel, draw_matrices
from posprobe.models.position_table import PositionTable
from posprobe.models.positions import sinusoids, token_positions
from posprobe.models.protocol import ModelInfo
from posprobe.models.unembed import Unembed

INIT_STD = 0.02


class HookedLayerNorm(nn.LayerNorm):
    """A layer norm whose output is a site."""

    def __init__(self, cfg: DecoderConfig) -> None:
        super().__init__(cfg.d_model, eps=cfg.eps, bias=cfg.bias)
        self.hook_normalized = HookPoint()

    def forward(
        self, input: Float[Tensor, "batch pos d_model"]
    ) -> Float[Tensor, "batch pos d_model"]:
        """Normalise each token's state."""
        return self.hook_normalized(super().forward(input))


class DecoderAttention(Attention):
    """Multi-head attention with one projection for queries, keys and values."""

    def __init__(self, cfg: DecoderConfig) -> None:
        super().__init__(cfg.d_head)
        self.n_heads, self.causal = cfg.n_heads, cfg.causal
        self.qkv = nn.Linear(cfg.d_model, 3 * cfg.d_model, bias=cfg.bias)
        self.out = nn.Linear(cfg.d_model, cfg.d_model, bias=cfg.bias)
        self.hook_q, self.hook_k, self.hook_v = HookPoint(), HookPoint(), HookPoint()
        self.hook_z = HookPoint()

    def forward(
        self,
        x: Float[Tensor, "batch pos d_model"],
        allowed: Bool[Tensor, "#batch 1 query key"] | None,
        *,
        padded: bool,
    ) -> Float[Tensor, "batch pos d_model"]:
        """Return the attention output; `padded` says whether `allowed` hides padding too."""
        q, k, v = (part.unflatten(-1, (self.n_heads, -1)) for part in self.qkv(x).chunk(3, dim=-1))
        content = {"": (self.hook_q(q), self.hook_k(k))}
        triangle = self.causal and not padded
        z = self.attend(content, self.hook_v(v), bias=None, allowed=allowed, causal=triangle)
        return self.out(self.hook_z(z).flatten(-2))


class DecoderMlp(nn.Module):
    """Two linear layers around a GELU, four times as wide as the model."""

    def __init__(self, cfg: DecoderConfig) -> None:
        super().__init__()
        self.up = nn.Linear(cfg.d_model, 4 * cfg.d_model, bias=cfg.bias)
        self.down = nn.Linear(4 * cfg.d_model, cfg.d_model, bias=cfg.bias)
        self.gelu = nn.GELU(approximate="tanh" if cfg.gelu == "tanh" else "none")
        self.hook_pre, self.hook_post = HookPoint(), HookPoint()

    def forward(self, x: Float[Tensor, "batch pos d_model"]) -> Float[Tensor, "batch pos d_model"]:
        """Apply the layer to each token."""
        return self.down(self.hook_post(self.gelu(self.hook_pre(self.up(x)))))


class DecoderBlock(nn.Module):
    """Attention, then an MLP, each after a norm and added to the stream."""

    def __init__(self, cfg: DecoderConfig, layer: int) -> None:
        super().__init__()
        self.add_attn = layer not in cfg.no_attn_residual
        self.add_mlp = layer not in cfg.no_mlp_residual
        self.ln1 = HookedLayerNorm(cfg)
        self.attn = DecoderAttention(cfg)
        self.ln2 = HookedLayerNorm(cfg)
        self.mlp = DecoderMlp(cfg)
        self.hook_resid_pre, self.hook_attn_out = HookPoint(), HookPoint()
        self.hook_resid_mid, self.hook_mlp_out = HookPoint(), HookPoint()
        self.hook_resid_post = HookPoint()

    def forward(
        self,
        x: Float[Tensor, "batch pos d_model"],
        allowed: Bool[Tensor, "#batch 1 query key"] | None,
        *,
        padded: bool,
    ) -> Float[Tensor, "batch pos d_model"]:
        """Update the residual stream."""
        x = self.hook_resid_pre(x)
        attended = self.hook_attn_out(self.attn(self.ln1(x), allowed, padded=padded))
        x = self.hook_resid_mid(x + attended if self.add_attn else attended)
        fed = self.hook_mlp_out(self.mlp(self.ln2(x)))
        return self.hook_resid_post(x + fed if self.add_mlp else fed)


class Decoder(HookedModel):
    """A language model; see `DecoderConfig` for what can be chosen."""

    sinusoid: Tensor

    def __init__(self, cfg: DecoderConfig) -> None:
        super().__init__()
        self.cfg = cfg
        self.embed = nn.Embedding(cfg.d_vocab, cfg.d_model)
        self.hook_embed = HookPoint()
        if cfg.position == "learned":
            self.pos_embed = nn.Embedding(cfg.n_ctx, cfg.d_model)
        elif cfg.position == "sinusoidal":
            table = sinusoids(cfg.n_ctx, cfg.d_model)
            self.register_buffer("sinusoid", table, persistent=False)
        if cfg.position != "none":
            self.hook_pos_embed = HookPoint()
        self.blocks = nn.ModuleList([DecoderBlock(cfg, i) for i in range(cfg.n_layers)])
        self.ln_final = HookedLayerNorm(cfg)
        self.unembed = Unembed(cfg.d_model, cfg.d_vocab, bias=False)
        if cfg.tied:
            self.unembed.head.weight = self.embed.weight
        self.finish()

    @property
    def info(self) -> ModelInfo:
        """Return the facts about this model."""
        cfg = self.cfg
        return ModelInfo(
            architecture="nanogpt",
            n_layers=cfg.n_layers,
            n_heads=cfg.n_heads,
            d_model=cfg.d_model,
            d_head=cfg.d_head,
            n_ctx=cfg.n_ctx,
            d_vocab=cfg.d_vocab,
            causal=cfg.causal,
            position=cfg.position,
            n_parameters=sum(p.numel() for p in self.parameters()),
        )

    def reset_parameters(self, *, mean: float = 0.0, std: float | None = None) -> None:
        """Draw weights as nanoGPT does, or every matrix from one normal distribution.

        nanoGPT: σ = 0.02, and 0.02 / √(2·layers) for what writes into the residual stream.
        With `std`, as paper B varies it, all matrices alike: no scaling of those.
        """
        for name, parameter in self.named_parameters():
            if parameter.ndim > 1:
                writes = name.endswith(("attn.out.weight", "mlp.down.weight"))
                scale = math.sqrt(2 * self.cfg.n_layers) if writes else 1.0
                nn.init.normal_(parameter, std=INIT_STD / scale)
            elif name.endswith("weight"):
                nn.init.ones_(parameter)
            else:
                nn.init.zeros_(parameter)
        if std is not None:
            draw_matrices(self.named_parameters(), mean=mean, std=std)

    def noncausal(self) -> "Decoder":
        """Return the same weights without the causal mask, as a control."""
        fresh = copy.deepcopy(self)
        fresh.cfg = replace(self.cfg, causal=False)
        for block in fresh.blocks:
            cast(DecoderBlock, block).attn.causal = False
        return fresh

    def position_table(self) -> PositionTable | None:
        """Return the learned table, one row per position."""
        if self.cfg.position != "learned":
            return None
        return PositionTable(rows=self.pos_embed.weight.detach().double().cpu().numpy())

    def forward(
        self,
        tokens: Int[Tensor, "batch pos"],
        mask: Bool[Tensor, "batch pos"] | None = None,
        *,
        at: Int[Tensor, " sample"] | None = None,
    ) -> Float[Tensor, "... d_vocab"]:
        """Return next-token logits at every position, or at some.

        Args:
            tokens: Token ids.
            mask: True on real tokens; None: no padding.
            at: Places in the flattened batch (row · length + column). None: everywhere.

        Returns:
            Logits [batch, pos, d_vocab], or [sample, d_vocab] where `at` is given.
        """
        padded = mask is not None and not bool(mask.all())
        allowed = allowed_keys(
            mask, length=tokens.shape[1], causal=self.cfg.causal, device=tokens.device
        )
        x = self.hook_embed(self.embed(tokens))
        if self.cfg.position != "none":
            real = torch.ones_like(tokens, dtype=torch.bool) if mask is None else mask
            positions = token_positions(real)
            table = self.pos_embed.weight if self.cfg.position == "learned" else self.sinusoid
            x = x + self.hook_pos_embed(table[positions])
        for block in self.blocks:
            x = block(x, allowed, padded=padded)
        x = self.ln_final(x)
        return self.unembed(x if at is None else x.flatten(0, 1)[at])
