"""nanoGPT's `ckpt.pt`, and the files of the NoPE fork around arXiv 2501.00073."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from torch import Tensor, allclose

from posprobe.core.errors import CheckpointError
from posprobe.core.files import sha256
from posprobe.core.options import LoadOptions
from posprobe.core.provenance import CheckpointSource
from posprobe.loaders.pickles import load_torch
from posprobe.loaders.rename import rename
from posprobe.loaders.tokenizers import find_vocabulary
from posprobe.loaders.weights import fit, strip_prefixes
from posprobe.models.build import build
from posprobe.models.config import DecoderConfig
from posprobe.models.decoder import Decoder
from posprobe.models.positions import sinusoids

NAMES = {
    "transformer.wte.weight": "embed.weight",
    "transformer.wpe.weight": "pos_embed.weight",
    "transformer.ln_f.weight": "ln_final.weight",
    "transformer.ln_f.bias": "ln_final.bias",
    "lm_head.weight": "unembed.head.weight",
    **{
        f"transformer.h.{{i}}.{theirs}.{kind}": f"blocks.{{i}}.{ours}.{kind}"
        for theirs, ours in {
            "ln_1": "ln1",
            "attn.c_attn": "attn.qkv",
            "attn.c_proj": "attn.out",
            "ln_2": "ln2",
            "mlp.c_fc": "mlp.up",
            "mlp.c_proj": "mlp.down",
        }.items()
        for kind in ("weight", "bias")
    },
}
SINUSOIDS = "transformer.wpe.pe"
POSITION: dict[str, Literal["learned", "none", "sinusoidal"]] = {
    "original": "learned",
    "nope": "none",
    "sin": "sinusoidal",
}
REQUIRED = ("n_layer", "n_head", "n_embd", "block_size", "bias", "vocab_size")


def load_nanogpt(path: Path, options: LoadOptions) -> Decoder:
    """Open a `ckpt.pt` of nanoGPT or of its NoPE fork.

    nanoGPT's current code uses the exact GELU, the fork and nanoGPT before May 2023 the tanh
    approximation. The file does not say; `options.gelu` overrides the guess.

    Raises:
        CheckpointError: If the file is not such a checkpoint, uses a variant that posprobe
            does not build, or lacks a tensor.
    """
    saved = load_torch(path, trust_pickle=options.trust_pickle)
    if not isinstance(saved, Mapping) or not {"model", "model_args"} <= set(saved):
        raise CheckpointError(f"{path}: not a nanoGPT checkpoint; it lacks `model` or `model_args`")
    state = strip_prefixes(saved["model"])
    cfg = _config(saved["model_args"], state, options, path)
    state = {name: x for name, x in state.items() if not _is_mask(name, x)}
    if SINUSOIDS in state:
        _check_sinusoids(state.pop(SINUSOIDS), cfg, path)
    model = build(cfg)
    tied = {"unembed.head.weight": "embed.weight"} if cfg.tied else {}
    fit(model, rename(state, NAMES), where=str(path), tied=tied)
    model.source = CheckpointSource(
        ref=str(path), format="nanogpt", sha256=sha256(path), trained=_history(saved)
    )
    model.tokenizer = find_vocabulary(path, saved.get("config"))
    return model


def _config(
    args: Mapping[str, Any], state: Mapping[str, Tensor], options: LoadOptions, path: Path
) -> DecoderConfig:
    if missing := [key for key in REQUIRED if key not in args]:
        raise CheckpointError(f"{path}: `model_args` lacks {', '.join(missing)}")
    fork = "use_pe" in args
    scheme = args.get("use_pe", "original")
    if scheme not in POSITION:
        raise CheckpointError(f"{path}: use_pe={scheme!r} is not supported; {sorted(POSITION)} are")
    n = args["n_layer"]
    keep = _per_layer(args.get("use_residual", True), n, "use_residual", path)
    for key in ("layerwise_pe", "permute"):
        # Without a position encoding the fork ignores the per-layer one as well.
        if any(_per_layer(args.get(key, False), n, key, path)) and not (
            key == "layerwise_pe" and scheme == "nope"
        ):
            raise CheckpointError(f"{path}: {key} is on, a variant that is not supported")
    no_attn = _per_layer(args.get("no_att_residual", False), n, "no_att_residual", path)
    no_mlp = _per_layer(args.get("no_mlp_residual", False), n, "no_mlp_residual", path)
    loose = _per_layer(args.get("not_causal", False), n, "not_causal", path)
    if any(loose) and not all(loose):
        raise CheckpointError(f"{path}: only some layers are causal, which is not supported")
    return DecoderConfig(
        position=POSITION[scheme],
        n_layers=n,
        n_heads=args["n_head"],
        d_model=args["n_embd"],
        n_ctx=args["block_size"],
        d_vocab=args["vocab_size"],
        bias=args["bias"],
        causal=not any(loose),
        gelu=options.gelu or ("tanh" if fork else "erf"),
        tied=_is_tied(state),
        no_attn_residual=tuple(i for i in range(n) if no_attn[i] or not keep[i]),
        no_mlp_residual=tuple(i for i in range(n) if no_mlp[i] or not keep[i]),
    )


def _per_layer(value: Any, n_layers: int, key: str, path: Path) -> list[bool]:
    """Read the fork's three spellings: for all layers, for the first few, for those listed."""
    if isinstance(value, bool):
        return [value] * n_layers
    if isinstance(value, int):
        return [layer < value for layer in range(n_layers)]
    counts = [value.count(layer) for layer in range(n_layers)] if isinstance(value, list) else []
    if not counts or max(counts) > 1 or sum(counts) != len(value):
        raise CheckpointError(f"{path}: {key}={value!r} is a variant that is not supported")
    return [count == 1 for count in counts]


def _is_tied(state: Mapping[str, Tensor]) -> bool:
    head, embed = state.get("lm_head.weight"), state.get("transformer.wte.weight")
    return head is None or (embed is not None and head.shape == embed.shape and head.equal(embed))


def _is_mask(name: str, tensor: Tensor) -> bool:
    # c_attn.bias is a weight; attn.bias of shape 1 × 1 × T × T is the causal triangle.
    return name.endswith(".attn.bias") and tensor.ndim == 4


def _check_sinusoids(table: Tensor, cfg: DecoderConfig, path: Path) -> None:
    made = sinusoids(cfg.n_ctx, cfg.d_model)
    if table.shape[-2:] != made.shape or not allclose(table.float()[0], made, atol=1e-5):
        raise CheckpointError(f"{path}: {SINUSOIDS} does not hold the usual sines and cosines")


def _history(saved: Mapping[str, Any]) -> dict[str, Any]:
    numbers = ("iter_num", "best_val_loss", "best_perplexity", "best_accuracy")
    known: dict[str, Any] = {
        key: float(saved[key]) for key in numbers if saved.get(key) is not None
    }
    config = saved.get("config")
    if isinstance(config, Mapping) and "dataset" in config:
        known["dataset"] = str(config["dataset"])
    return known
