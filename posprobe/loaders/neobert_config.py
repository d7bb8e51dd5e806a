"""Settings and position table of NeoBERT and DSTG folders, read without building a model."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from posprobe.core.errors import CheckpointError
from posprobe.loaders.position_rows import position_rows
from posprobe.loaders.stored_table import read_stored_table, require_rows
from posprobe.loaders.weight_files import read_json
from posprobe.models.config import EncoderConfig
from posprobe.models.position_table import PositionTable

# Settings of the public code that change the arithmetic, and the one value posprobe builds.
_ONLY = {
    "hidden_act": ("SwiGLU",),
    "mix_attentions": ("sum",),
    "attention_activation": ("softmax",),
    "ngpt": (False,),
    "shared_pos_keys": (False,),
    "untie_cls": (False,),
    "random_offset": (False,),
}


def read_neobert_table(path: Path) -> PositionTable | None:
    """Read the position table alone; padding's row and those before it are left out."""
    cfg = read_neobert_config(path)
    table = read_stored_table(path, ["model.positional_embedding.weight"])
    if table is None:
        return None
    offset = cfg.pad_id + 1
    require_rows(table, cfg.n_ctx + offset, path)
    return position_rows(table, offset)


def read_neobert_config(path: Path) -> EncoderConfig:
    """Read the `config.json` of NeoBERT or of the DSTG code.

    Raises:
        CheckpointError: If a key is missing or a setting is not supported.
    """
    config = read_json(path / "config.json")
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
