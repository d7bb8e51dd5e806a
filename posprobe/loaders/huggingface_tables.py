"""Where each Hugging Face architecture keeps what posprobe looks at: a table, by `model_type`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Config = Mapping[str, Any]
Layout = Literal["state", "heads", "part head d_head", "head part d_head"]


@dataclass(frozen=True)
class Tap:
    """One place to hook: a module below the base model, its input or output, and its axes.

    Attributes:
        path: The module; `{i}` stands for the layer.
        side: Whether the activation goes in or comes out.
        layout: How the last axis is divided: not at all, into heads, or into queries, keys
            and values first and heads within them (or the other way round).
        part: Which of queries (0), keys (1) and values (2).
    """

    path: str
    side: Literal["in", "out"] = "out"
    layout: Layout = "state"
    part: int = 0


@dataclass(frozen=True, kw_only=True)
class Family:
    """What is known about one `model_type`.

    Attributes:
        causal: Whether its queries see only keys before them.
        position: How position enters, in the words of `ModelInfo.position`.
        residual: The form of the residual stream, which may depend on the configuration.
        taps: The module behind each site.
        mid: The state between attention and MLP, by residual form.
        final: The norm after the last block, by residual form, where there is one.
        attention: The module that calls transformers' attention function.
        offset: Leading rows of the position table that no token reads.
        scores: How TransformerLens's bridge makes attention scores: it leaves them to
            transformers (`delegated`), or multiplies `plain` or rotated (`rotary`)
            queries and keys itself.
    """

    causal: bool
    position: str
    residual: Callable[[Config], str]
    taps: Mapping[str, Tap]
    mid: Mapping[str, Tap]
    attention: str
    scores: Literal["delegated", "plain", "rotary"]
    offset: Callable[[Config], int] = field(default=lambda config: 0)
    final: Mapping[str, Tap] = field(default_factory=dict)

    def sites(self, config: Config) -> dict[str, Tap]:
        """Return the taps by site, the block's middle and the final norm where they exist."""
        form = self.residual(config)
        middle, final = self.mid.get(form), self.final.get(form)
        return (
            dict(self.taps)
            | ({"blocks.{i}.hook_resid_mid": middle} if middle else {})
            | ({"ln_final.hook_normalized": final} if final else {})
        )

    def table_path(self) -> str | None:
        """Return where the position table lies below the base model, or None without one."""
        tap = self.taps.get("hook_pos_embed")
        return tap.path if tap else None


def _taps(
    *, embed: str, block: str, qkv: Mapping[str, Tap], out: str, mlp: str, pos: str | None = None
) -> dict[str, Tap]:
    """Name the sites of one architecture; all paths but `embed` and `pos` lie in the block."""
    within = {
        "hook_resid_pre": Tap("", "in"),
        **{f"attn.hook_{name}": tap for name, tap in qkv.items()},
        "attn.hook_z": Tap(out, "in", "heads"),
        "hook_attn_out": Tap(out),
        "hook_mlp_out": Tap(mlp),
        "hook_resid_post": Tap(""),
    }
    outer = {"hook_embed": Tap(embed)} | ({"hook_pos_embed": Tap(pos)} if pos else {})
    return outer | {
        f"blocks.{{i}}.{site}": replace(tap, path=f"{block}.{tap.path}".rstrip("."))
        for site, tap in within.items()
    }


def _separate(queries: str, keys: str, values: str) -> dict[str, Tap]:
    return {
        name: Tap(path, layout="heads")
        for name, path in zip("qkv", (queries, keys, values), strict=True)
    }


def _joint(path: str, layout: Layout) -> dict[str, Tap]:
    return {name: Tap(path, "out", layout, part) for part, name in enumerate("qkv")}


def _plain(config: Config) -> str:
    return "plain"


def _post_norm(config: Config) -> str:
    return "post-norm"


def _neox_residual(config: Config) -> str:
    return "parallel" if config.get("use_parallel_residual", True) else "plain"


def _opt_residual(config: Config) -> str:
    return "plain" if config.get("do_layer_norm_before", True) else "post-norm"


def _after_padding(config: Config) -> int:
    # fairseq numbers tokens from the padding id on.
    pad = config.get("pad_token_id")
    return 1 + (1 if pad is None else int(pad))


_BERT = Family(
    causal=False,
    position="learned",
    residual=_post_norm,
    taps=_taps(
        embed="embeddings.word_embeddings",
        pos="embeddings.position_embeddings",
        block="encoder.layer.{i}",
        qkv=_separate("attention.self.query", "attention.self.key", "attention.self.value"),
        out="attention.output.dense",
        mlp="output.dense",
    ),
    mid={"post-norm": Tap("encoder.layer.{i}.attention.output.LayerNorm")},
    attention="encoder.layer.{i}.attention.self",
    scores="delegated",
)
_ROBERTA = replace(_BERT, offset=_after_padding)
_DISTILBERT = Family(
    causal=False,
    position="learned",
    residual=_post_norm,
    taps=_taps(
        embed="embeddings.word_embeddings",
        pos="embeddings.position_embeddings",
        block="transformer.layer.{i}",
        qkv=_separate("attention.q_lin", "attention.k_lin", "attention.v_lin"),
        out="attention.out_lin",
        mlp="ffn.lin2",
    ),
    mid={"post-norm": Tap("transformer.layer.{i}.sa_layer_norm")},
    attention="transformer.layer.{i}.attention",
    scores="delegated",
)
_MODERNBERT = Family(
    causal=False,
    position="rope",
    residual=_plain,
    taps=_taps(
        embed="embeddings.tok_embeddings",
        block="layers.{i}",
        qkv=_joint("attn.Wqkv", "part head d_head"),
        out="attn.Wo",
        mlp="mlp.Wo",
    ),
    mid={"plain": Tap("layers.{i}.mlp_norm", "in")},
    final={"plain": Tap("final_norm")},
    attention="layers.{i}.attn",
    scores="delegated",
)
_GPT2 = Family(
    causal=True,
    position="learned",
    residual=_plain,
    taps=_taps(
        embed="wte",
        pos="wpe",
        block="h.{i}",
        qkv=_joint("attn.c_attn", "part head d_head"),
        out="attn.c_proj",
        mlp="mlp.c_proj",
    ),
    mid={"plain": Tap("h.{i}.ln_2", "in")},
    final={"plain": Tap("ln_f")},
    attention="h.{i}.attn",
    scores="plain",
)
_NEOX = Family(
    causal=True,
    position="rope",
    residual=_neox_residual,
    taps=_taps(
        embed="embed_in",
        block="layers.{i}",
        qkv=_joint("attention.query_key_value", "head part d_head"),
        out="attention.dense",
        mlp="mlp.dense_4h_to_h",
    ),
    mid={"plain": Tap("layers.{i}.post_attention_layernorm", "in")},
    final=dict.fromkeys(("plain", "parallel"), Tap("final_layer_norm")),
    attention="layers.{i}.attention",
    scores="rotary",
)
_LLAMA = Family(
    causal=True,
    position="rope",
    residual=_plain,
    taps=_taps(
        embed="embed_tokens",
        block="layers.{i}",
        qkv=_separate("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
        out="self_attn.o_proj",
        mlp="mlp.down_proj",
    ),
    mid={"plain": Tap("layers.{i}.post_attention_layernorm", "in")},
    final={"plain": Tap("norm")},
    attention="layers.{i}.self_attn",
    scores="rotary",
)
_OPT = Family(
    causal=True,
    position="learned",
    residual=_opt_residual,
    taps=_taps(
        embed="decoder.embed_tokens",
        pos="decoder.embed_positions",
        block="decoder.layers.{i}",
        qkv=_separate("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
        out="self_attn.out_proj",
        mlp="fc2",
    ),
    mid={
        "plain": Tap("decoder.layers.{i}.final_layer_norm", "in"),
        "post-norm": Tap("decoder.layers.{i}.self_attn_layer_norm"),
    },
    final={"plain": Tap("decoder.final_layer_norm")},
    attention="decoder.layers.{i}.self_attn",
    scores="delegated",
    offset=lambda config: 2,
)

FAMILIES: dict[str, Family] = {
    "bert": _BERT,
    "electra": _BERT,
    "roberta": _ROBERTA,
    "xlm-roberta": _ROBERTA,
    "camembert": _ROBERTA,
    "distilbert": _DISTILBERT,
    "modernbert": _MODERNBERT,
    "gpt2": _GPT2,
    "gpt_neox": _NEOX,
    "llama": _LLAMA,
    "mistral": _LLAMA,
    "qwen2": _LLAMA,
    "opt": _OPT,
}
