"""The settings of the two model families, each explained under itself."""

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, TypeVar

from posprobe.core.errors import UserError

_C = TypeVar("_C", bound="_Config")


@dataclass(frozen=True, kw_only=True)
class _Config:
    """What both families share: reading from and writing to plain values."""

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain values for JSON."""
        return {"family": type(self).__name__.removesuffix("Config").lower(), **asdict(self)}

    @classmethod
    def from_dict(cls: type[_C], values: dict[str, Any]) -> _C:
        """Read settings written by `to_dict`.

        Raises:
            UserError: If a setting is unknown, so that none is silently ignored.
        """
        known = {field.name for field in fields(cls)}
        given = {key: value for key, value in values.items() if key != "family"}
        if unknown := sorted(set(given) - known):
            raise UserError(
                f"unknown settings {unknown} for {cls.__name__}; known: {sorted(known)}"
            )
        lists = {key: tuple(v) if isinstance(v, list) else v for key, v in given.items()}
        return cls(**lists)


@dataclass(frozen=True, kw_only=True)
class EncoderConfig(_Config):
    """A NeoBERT-like encoder; the default sizes are those of paper A (arXiv 2605.30022)."""

    position: Literal["dstg", "ap", "rp", "rope", "none"] = "dstg"
    """How position enters: two streams with a table of their own plus a relative bias (dstg), a
    table added to the tokens (ap), a relative bias (rp), rotated queries and keys (rope)."""
    n_layers: int = 6
    """Number of blocks."""
    n_heads: int = 6
    """Heads per block."""
    d_model: int = 768
    """Width of the whole residual stream."""
    d_pos: int = 48
    """Width of the absolute-position stream, a part of `d_model` (dstg only)."""
    d_mlp: int = 2048
    """Hidden width of the SwiGLU layer; of the semantic one where they are separate."""
    d_mlp_pos: int = 0
    """Hidden width of the position stream's own SwiGLU layer; 0: one layer mixes both streams."""
    n_ctx: int = 512
    """Longest sequence in tokens, and rows of the position table without the padding row."""
    d_vocab: int = 30522
    """Size of the vocabulary."""
    eps: float = 1e-5
    """Added to the mean square in each norm."""
    norm: Literal["rms", "layer"] = "rms"
    """Norm before each half block and before the head."""
    residual: Literal["normed", "plain"] = "plain"
    """What each half block adds its output to: its normalised input (as the DSTG code does) or
    the input itself (pre-norm)."""
    rp_bias: bool = True
    """Whether a dstg model has the relative bias beside its streams."""
    rp_border: Literal["document", "block", "none"] = "document"
    """Where the relative bias is zero: on each document's first and last token, on the first and
    last column of the padded block (as the DSTG code does; padding then matters), or nowhere."""
    head: Literal["sem", "both"] = "sem"
    """Which streams of a dstg model the token head reads."""
    pad_id: int = 0
    """The padding token; also the row of the position table that padding reads."""
    special_ids: tuple[int, ...] = ()
    """Tokens that are not text, beside the padding token."""

    def __post_init__(self) -> None:
        """Refuse sizes that do not divide."""
        for name, width in (("d_model", self.d_model), ("d_pos", self.d_pos)):
            if width % self.n_heads:
                raise UserError(f"{name}={width} is not a multiple of n_heads={self.n_heads}")
        if self.position == "rope" and self.d_head % 2:
            raise UserError(f"rotary heads have an even width, not {self.d_head}")

    @property
    def streams(self) -> dict[str, int]:
        """Width by stream, in the order in which the streams lie side by side."""
        if self.position == "dstg":
            return {"ap": self.d_pos, "sem": self.d_model - self.d_pos}
        return {"resid": self.d_model}

    @property
    def d_head(self) -> int:
        """Width of a head's queries and keys, in each stream."""
        return self.d_model // self.n_heads

    @property
    def has_bias(self) -> bool:
        """Whether attention has the relative bias."""
        return self.position == "rp" or (self.position == "dstg" and self.rp_bias)

    @property
    def logit_terms(self) -> tuple[str, ...]:
        """The addends of the attention logits, by name; empty where there is only one."""
        content = ("ap", "sem") if self.position == "dstg" else ("sem",)
        terms = (*content, "rp") if self.has_bias else content
        return terms if len(terms) > 1 else ()


@dataclass(frozen=True, kw_only=True)
class DecoderConfig(_Config):
    """A nanoGPT-like transformer; the default is the NoPE model of paper B (arXiv 2501.00073)."""

    position: Literal["learned", "sinusoidal", "none"] = "none"
    """What is added to the token embedding: a learned table, fixed sinusoids, or nothing."""
    n_layers: int = 6
    """Number of blocks."""
    n_heads: int = 6
    """Heads per block."""
    d_model: int = 384
    """Width of the residual stream."""
    n_ctx: int = 256
    """Longest sequence in tokens."""
    d_vocab: int = 96
    """Size of the vocabulary."""
    bias: bool = False
    """Whether linear layers and norms have a bias."""
    causal: bool = True
    """Whether a token sees only itself and what precedes it."""
    gelu: Literal["tanh", "erf"] = "tanh"
    """The approximated or the exact GELU."""
    tied: bool = True
    """Whether the head reuses the token embedding."""
    eps: float = 1e-5
    """Added to the variance in each norm."""
    no_attn_residual: tuple[int, ...] = ()
    """Blocks whose attention output replaces the residual stream instead of adding to it."""
    no_mlp_residual: tuple[int, ...] = ()
    """Blocks whose MLP output replaces the residual stream instead of adding to it."""

    def __post_init__(self) -> None:
        """Refuse sizes that do not divide."""
        if self.d_model % self.n_heads:
            raise UserError(f"d_model={self.d_model} is not a multiple of n_heads={self.n_heads}")

    @property
    def d_head(self) -> int:
        """Width of a head."""
        return self.d_model // self.n_heads


NAMED_CONFIGS: dict[str, DecoderConfig | EncoderConfig] = {
    "nanogpt-nope-paper": DecoderConfig(),
    **{
        f"nanogpt-nope-{layers}x{width}": DecoderConfig(n_layers=layers, d_model=width)
        for layers in (6, 12, 24)
        for width in (192, 384, 768)
    },
}
"""The configurations of arXiv 2501.00073 by name, the sizes as layers x width; a name alone brings
no trained weights."""
