"""NeoBERT folders, and those of the DSTG encoder and its baselines (arXiv 2605.30022)."""

from pathlib import Path

from torch import Tensor

from posprobe.core.files import sha256
from posprobe.core.options import LoadOptions
from posprobe.core.provenance import CheckpointSource
from posprobe.loaders.neobert_config import read_neobert_config
from posprobe.loaders.rename import rename
from posprobe.loaders.tokenizers import find_tokenizer
from posprobe.loaders.weights import fit, read_weights, strip_prefixes
from posprobe.models.build import build
from posprobe.models.encoder import Encoder

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
_BUCKETS = "*relative_pos_bias.bucket_indices"


def load_neobert(path: Path, options: LoadOptions) -> Encoder:
    """Open a folder whose `config.json` says `model_type: neobert`.

    Raises:
        CheckpointError: If a setting is not supported, or a tensor is missing or misshapen.
    """
    cfg = read_neobert_config(path)
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


def _ungroup_heads(weight: Tensor, n_heads: int) -> Tensor:
    """Turn rows grouped as [q|k|v] per head into all q, all k, all v."""
    grouped = weight.unflatten(0, (n_heads, 3, -1))
    return grouped.transpose(0, 1).reshape(weight.shape)
