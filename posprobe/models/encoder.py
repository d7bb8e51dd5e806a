"""The encoder family: DSTG with its two streams, and its AP, RP, RoPE and bare baselines.

Written from the public checkpoints' layout (NeoBERT and the DSTG code of arXiv 2605.30022):
RMSNorm, SwiGLU, no biases but the head's; a DSTG model keeps position and meaning in separate
streams that meet in the attention logits and in the feed-forward layer.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from transformer_lens.hook_points import HookPoint

from posprobe.models.attention import Attention
from posprobe.models.config import EncoderConfig
from posprobe.models.hooked import HookedModel, draw_matrices
from posprobe.models.hooks import add_hooks, hook_at
from posprobe.models.places import Places, find_places
from posprobe.models.position_table import PositionTable
from posprobe.models.positions import N_BUCKETS, by_offset, rotate
from posprobe.models.protocol import ModelInfo
from posprobe.models.streams import State, StreamMlp, StreamNorm, Streams, add
from posprobe.models.unembed import Unembed

INIT_RANGE = 0.02


class EncoderAttention(Attention):
    """Bidirectional attention over one or two streams with one softmax.

    Each stream has its own queries, keys and values. All streams' queries and keys are as wide
    as the whole model; values and outputs stay in their stream.
    """

    def __init__(self, cfg: EncoderConfig) -> None:
        super().__init__(cfg.d_head, cfg.logit_terms)
        self.cfg = cfg
        d = cfg.d_model
        self.qkv = nn.ModuleDict(
            {
                name: nn.Linear(width, 2 * d + width, bias=False)
                for name, width in cfg.streams.items()
            }
        )
        self.out = nn.ModuleDict(
            {name: nn.Linear(width, width, bias=False) for name, width in cfg.streams.items()}
        )
        if cfg.has_bias:
            self.relative_bias = nn.Embedding(N_BUCKETS, cfg.n_heads)
        self.suffixes = tuple(f"_{name}" for name in cfg.streams) if len(cfg.streams) > 1 else ("",)
        rotated = ("hook_rot_q", "hook_rot_k") if cfg.position == "rope" else ()
        for name in ("hook_q", "hook_k", "hook_v", *rotated):
            add_hooks(self, (name + suffix for suffix in self.suffixes))
        add_hooks(self, dict.fromkeys(f"hook_z{suffix}" for suffix in ("", *self.suffixes)))

    def forward(
        self,
        state: State,
        places: Places,
    ) -> State:
        """Return each stream's attention output.

        Args:
            state: The normalised streams.
            places: Where the tokens stand.
        """
        content, values = {}, []
        terms = [term for term in self.terms if term != "rp"] or [""]
        for name, suffix, term, x in zip(self.qkv, self.suffixes, terms, state, strict=True):
            q, k, v = self._project(x, name, suffix)
            if places.turn is not None:
                q = hook_at(self, "hook_rot_q")(rotate(q, places.turn))
                k = hook_at(self, "hook_rot_k")(rotate(k, places.turn))
            content[term] = (q, k)
            values.append(v)
        z = self.attend(
            content,
            torch.cat(values, dim=-1),
            bias=self._bias(places),
            allowed=places.allowed,
        )
        return self._write(z)

    def _project(self, x: Tensor, name: str, suffix: str) -> list[Tensor]:
        d = self.cfg.d_model
        parts = self.qkv[name](x).split((d, d, x.shape[-1]), dim=-1)
        return [
            hook_at(self, hook + suffix)(part.unflatten(-1, (self.cfg.n_heads, -1)))
            for hook, part in zip(("hook_q", "hook_k", "hook_v"), parts, strict=True)
        ]

    def _bias(self, places: Places) -> Tensor | None:
        if places.buckets is None:
            return None
        bias = by_offset(self.relative_bias(places.buckets).T)[None]
        if places.inner is None:
            return bias
        return bias * (places.inner[:, None, :, None] & places.inner[:, None, None, :])

    def _write(self, z: Tensor) -> State:
        z = hook_at(self, "hook_z")(z)
        parts = z.split([w // self.cfg.n_heads for w in self.cfg.streams.values()], dim=-1)
        if len(parts) > 1:
            parts = [
                hook_at(self, f"hook_z{suffix}")(part)
                for suffix, part in zip(self.suffixes, parts, strict=True)
            ]
        return tuple(
            out(part.flatten(-2)) for out, part in zip(self.out.values(), parts, strict=True)
        )


class EncoderBlock(Streams):
    """Attention, then a feed-forward layer, each after a norm."""

    def __init__(self, cfg: EncoderConfig) -> None:
        names = ("resid_pre", "attn_out", "resid_mid", "mlp_out", "resid_post")
        super().__init__(cfg.streams, tuple(f"hook_{name}" for name in names))
        self.normed = cfg.residual == "normed"
        self.ln1 = _norm(cfg)
        self.attn = EncoderAttention(cfg)
        self.ln2 = _norm(cfg)
        hidden = {"ap": cfg.d_mlp_pos, "sem": cfg.d_mlp} if cfg.d_mlp_pos else {"all": cfg.d_mlp}
        self.mlp = StreamMlp(cfg.streams, hidden)

    def forward(
        self,
        state: State,
        places: Places,
    ) -> State:
        """Update the streams."""
        pre = self.at("hook_resid_pre", state)
        normed = self.ln1(pre)
        attended = self.at("hook_attn_out", self.attn(normed, places))
        mid = self.at("hook_resid_mid", add(normed if self.normed else pre, attended))
        normed = self.ln2(mid)
        fed = self.at("hook_mlp_out", self.mlp(normed))
        return self.at("hook_resid_post", add(normed if self.normed else mid, fed))


class Encoder(HookedModel):
    """A masked-language-model encoder; see `EncoderConfig` for what can be chosen."""

    def __init__(self, cfg: EncoderConfig) -> None:
        super().__init__()
        self.cfg = cfg
        self.d_tokens = cfg.streams["sem"] if cfg.position == "dstg" else cfg.d_model
        self.embed = nn.Embedding(cfg.d_vocab, self.d_tokens)
        self.hook_embed = HookPoint()
        if cfg.position in ("dstg", "ap"):
            width = cfg.d_pos if cfg.position == "dstg" else cfg.d_model
            self.pos_embed = nn.Embedding(cfg.n_ctx + 1 + cfg.pad_id, width)
            self.hook_pos_embed = HookPoint()
        self.blocks = nn.ModuleList([EncoderBlock(cfg) for _ in range(cfg.n_layers)])
        self.ln_final = _norm(cfg)
        read = cfg.d_model if cfg.head == "both" else self.d_tokens
        self.unembed = Unembed(read, cfg.d_vocab, bias=True)
        self.finish()

    @property
    def info(self) -> ModelInfo:
        """Return the facts about this model."""
        cfg = self.cfg
        return ModelInfo(
            architecture="encoder",
            n_layers=cfg.n_layers,
            n_heads=cfg.n_heads,
            d_model=cfg.d_model,
            d_head=cfg.d_head,
            n_ctx=cfg.n_ctx,
            d_vocab=cfg.d_vocab,
            causal=False,
            position={"ap": "learned"}.get(cfg.position, cfg.position),
            streams=tuple(cfg.streams) if len(cfg.streams) > 1 else (),
            residual=cfg.residual,
            logit_terms=cfg.logit_terms,
            pad_id=cfg.pad_id,
            special_ids=tuple(sorted({cfg.pad_id, *cfg.special_ids})),
            n_parameters=sum(p.numel() for p in self.parameters()),
            equal_lengths=cfg.has_bias and cfg.rp_border == "block",
        )

    def reset_parameters(self, *, mean: float = 0.0, std: float | None = None) -> None:
        """Draw weights: uniform ±0.02 as NeoBERT does, or normal if `std` is given.

        The relative bias and the head's bias begin at zero, norms at one.
        """
        for name, parameter in self.named_parameters():
            if parameter.ndim > 1 and "relative_bias" not in name:
                nn.init.uniform_(parameter, -INIT_RANGE, INIT_RANGE)
            elif ".norm." in name and name.endswith("weight"):
                nn.init.ones_(parameter)
            else:
                nn.init.zeros_(parameter)
        if std is not None:
            wide = [(n, p) for n, p in self.named_parameters() if "relative_bias" not in n]
            draw_matrices(wide, mean=mean, std=std)

    def position_table(self) -> PositionTable | None:
        """Return the rows that positions 0, 1, … read; the padding rows are left out."""
        if not hasattr(self, "pos_embed"):
            return None
        offset = self.cfg.pad_id + 1
        rows = self.pos_embed.weight.detach().double().cpu().numpy()
        return PositionTable(rows=rows[offset:], offset=offset)

    def forward(
        self,
        tokens: Int[Tensor, "batch pos"],
        mask: Bool[Tensor, "batch pos"] | None = None,
        *,
        at: Int[Tensor, " sample"] | None = None,
    ) -> Float[Tensor, "... d_vocab"]:
        """Return the logits of the masked-language-model head.

        Args:
            tokens: Token ids.
            mask: True on real tokens; None: no padding.
            at: Places in the flattened batch (row · length + column); the head, which is
                the dearest layer of a small model, then runs there only. None: everywhere.

        Returns:
            Logits [batch, pos, d_vocab], or [sample, d_vocab] where `at` is given.
        """
        real = torch.ones_like(tokens, dtype=torch.bool) if mask is None else mask
        places = find_places(self.cfg, real, padded=mask is not None)
        state = self._enter(tokens, places.positions, real)
        for block in self.blocks:
            state = block(state, places)
        final = self.ln_final(state)
        read = torch.cat(final, dim=-1) if self.cfg.head == "both" else final[-1]
        return self.unembed(read if at is None else read.flatten(0, 1)[at])

    def _enter(self, tokens: Tensor, positions: Tensor, real: Tensor) -> State:
        embedded = self.hook_embed(self.embed(tokens))
        if not hasattr(self, "pos_embed"):
            return (embedded,)
        # Padding reads row pad_id, the first real token the row after it.
        rows = (positions + 1) * real + self.cfg.pad_id
        placed = self.hook_pos_embed(self.pos_embed(rows))
        return (placed, embedded) if self.cfg.position == "dstg" else (placed + embedded,)


def _norm(cfg: EncoderConfig) -> StreamNorm:
    kind = nn.RMSNorm if cfg.norm == "rms" else nn.LayerNorm
    return StreamNorm(cfg.streams, lambda width: kind(width, eps=cfg.eps))
