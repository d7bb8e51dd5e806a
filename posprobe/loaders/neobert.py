"""NeoBERT folders, and those of the DSTG encoder and its baselines (arXiv 2605.30022)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from torch import Tensor

from posprobe.core.errors import CheckpointError
from posprobe.core.files import sha256
from posprobe.core.options import LoadOptions
from posprobe.core.provenance import CheckpointSource
from posprobe.loaders.rename import rename
from posprobe.loaders.tokenizers import find_tokenizer
from posprobe.loaders.weights import fit, read_json, read_tensor, read_weights, strip_prefixes
from posprobe.models.build import build
from posprobe.models.config import EncoderConfig
from posprobe.models.encoder import Encoder
from posprobe.models.protocol import PositionTable

_LAYER = "model.transformer_encoder.{i}."
_COMMON = {
    "model.encoder.weight": "embed.weight",
    "model.positional_embedding.weight": "pos_embed.weight",
    "decoder.weight": "unembed.head.weight",
    "decoder.bias": "unembed.head.bias",
    _LAYER + "ffn.w12.weight": "blocks.{i}.mlp.part.all.gate_up.weight",
    _LAYER + "ffn.w3.weight": "blocks.{i}.mlp.part.all.down.weight",
    _LAYER + "relative_pos_bias.relative_attention_bias": "blocks.{i}.attn.relative_bias.weight",
}
_NORMS = {
    _LAYER + "{p}attention_norm.{kind}": "blocks.{i}.ln1.norm.{s}.{kind}",
    _LAYER + "{p}ffn_norm.{kind}": "blocks.{i}.ln2.norm.{s}.{kind}",
    "model.{p}layer_norm.{kind}": "ln_final.norm.{s}.{kind}",
}


def _norms(prefix: str, stream: str) -> dict[str, str]:
    return {
        key.replace("{p}", prefix).replace("{kind}", kind): value.replace("{s}", stream).replace(
            "{kind}", kind
        )
        for key, value in _NORMS.items()
        for kind in ("weight", "bias")
    }


NEOBERT_NAMES = {
    **_COMMON,
    **_norms("", "resid"),
    _LAYER + "qkv.weight": "blocks.{i}.attn.qkv.resid.weight",
    _LAYER + "wo.weight": "blocks.{i}.attn.out.resid.weight",
}
DSTG_NAMES = {
    **_COMMON,
    **_norms("pos_", "ap"),
    **_norms("sem_", "sem"),
    **{
        _LAYER + theirs.format(name): ours.format(stream)
        for theirs, ours in {
            "qkv_{}.weight": "blocks.{{i}}.attn.qkv.{}.weight",
            "wo_{}.weight": "blocks.{{i}}.attn.out.{}.weight",
            "{}_ffn.w12.weight": "blocks.{{i}}.mlp.part.{}.gate_up.weight",
            "{}_ffn.w3.weight": "blocks.{{i}}.mlp.part.{}.down.weight",
        }.items()
        for name, stream in (("pos", "ap"), ("sem", "sem"))
    },
}
# Settings of the public code that change the arithmetic, and the one value posprobe builds.
_ONLY = {
    "hidden_act": ("SwiGLU",),
    "mix_attentions": ("sum",),
    "attention_activation": ("softmax",),
    "ngpt": (False,),
    "shared_pos_keys": (False,),
    "untie_cls": (False,),
    "positional_embed_init": ("random", "sinusoidal", "zeros"),
}
_BUCKETS = "*relative_pos_bias.bucket_indices"


def load_neobert(path: Path, options: LoadOptions) -> Encoder:
    """Open a folder whose `config.json` says `model_type: neobert`.

    Raises:
        CheckpointError: If a setting is not supported, or a tensor is missing or misshapen.
    """
    cfg = encoder_config(read_json(path / "config.json"), path)
    state, files = read_weights(path, trust_pickle=options.trust_pickle)
    names = DSTG_NAMES if cfg.position == "dstg" else NEOBERT_NAMES
    renamed = rename(strip_prefixes(state), names)
    if cfg.position != "dstg":
        renamed = {
            name: _ungroup_heads(x, cfg.n_heads) if ".attn.qkv." in name else x
            for name, x in renamed.items()
        }
    model = build(cfg)
    fit(model, renamed, where=str(path), ignore=(_BUCKETS,))
    model.source = CheckpointSource(ref=str(path), format="neobert", sha256=sha256(*files))
    model.tokenizer = find_tokenizer(path)
    return model


def read_neobert_table(path: Path) -> PositionTable | None:
    """Read the position table alone; padding's row and those before it are left out."""
    cfg = encoder_config(read_json(path / "config.json"), path)
    table = read_tensor(path, ["model.positional_embedding.weight"])
    if table is None:
        return None
    offset = cfg.pad_id + 1
    return PositionTable(rows=table.double().numpy()[offset:], offset=offset)


def encoder_config(config: Mapping[str, Any], path: Path) -> EncoderConfig:
    """Read NeoBERT's or the DSTG code's `config.json`.

    Raises:
        CheckpointError: If a key is missing or a setting is not supported.
    """
    for key, values in _ONLY.items():
        if key in config and config[key] not in values:
            raise CheckpointError(f"{path}: {key}={config[key]!r} is not supported; {values} is")
    try:
        return _encoder_config(config, path)
    except KeyError as error:
        raise CheckpointError(f"{path}: config.json lacks {error.args[0]!r}") from error


def _encoder_config(config: Mapping[str, Any], path: Path) -> EncoderConfig:
    dstg = bool(config.get("posneobert", False))
    d_sem, d_pos = config["hidden_size"], config["pos_size"] if dstg else 0
    pad = config.get("pad_token_id") or 0
    mlp = config.get("intermediate_size") or 4 * d_sem
    mlp_pos = (config.get("pos_intermediate_size") or 4 * d_pos) if dstg else 0
    mixed = config.get("mixed_feed_forward", True)
    position = "dstg" if dstg else _scheme(config, path)
    return EncoderConfig(
        position=position,
        n_layers=config["num_hidden_layers"],
        n_heads=config["num_attention_heads"],
        d_model=d_sem + d_pos,
        d_pos=d_pos,
        d_mlp=_swiglu_width(mlp + mlp_pos if mixed else mlp),
        d_mlp_pos=0 if mixed or not dstg else _swiglu_width(mlp_pos),
        # A table of max_length + 1 rows begins after the padding row.
        n_ctx=config["max_length"] - (pad if position in ("dstg", "ap") else 0),
        d_vocab=config["vocab_size"],
        eps=config["norm_eps"],
        norm="rms" if config.get("rms_norm", True) else "layer",
        residual="normed" if dstg else "plain",
        rp_bias=bool(config.get("relative_pos_bias", False)),
        rp_border="block",
        head="sem" if config.get("use_only_sem_for_decoding", True) else "both",
        pad_id=pad,
        special_ids=(pad,),
    )


def _scheme(config: Mapping[str, Any], path: Path) -> Literal["rope", "rp", "ap", "none"]:
    """Tell the baselines apart; plain NeoBERT has a table wherever it does not rotate."""
    if config.get("rope", True):
        return "rope"
    relative, absolute = config.get("relative_pos_bias", False), config.get("AP_embeddings", True)
    if relative and absolute and "AP_embeddings" in config:
        raise CheckpointError(
            f"{path}: relative_pos_bias and AP_embeddings without separate streams is not supported"
        )
    if relative:
        return "rp"
    return "ap" if absolute else "none"


def _swiglu_width(intermediate: int) -> int:
    """Two thirds, rounded up to a multiple of eight."""
    return -(-int(2 * intermediate / 3) // 8) * 8


def _ungroup_heads(weight: Tensor, n_heads: int) -> Tensor:
    """Turn rows grouped as [q|k|v] per head into all q, all k, all v."""
    grouped = weight.unflatten(0, (n_heads, 3, -1))
    return grouped.transpose(0, 1).reshape(weight.shape)
