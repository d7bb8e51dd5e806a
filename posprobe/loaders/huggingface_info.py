"""Reading the facts about a model off its Hugging Face configuration."""

from typing import Any

from posprobe.core.errors import CheckpointError
from posprobe.data.tokenizer import Tokenizer
from posprobe.loaders.huggingface_tables import Family
from posprobe.models.protocol import ModelInfo

_SPECIAL = ("pad", "bos", "eos", "cls", "sep", "mask")
_WINDOWED = "sliding_attention"
"""How configurations call a layer that sees a window only."""
_LENGTHS = ("max_position_embeddings", "n_positions", "seq_length", "max_seq_len")


def model_info(network: Any, family: Family | None, tokenizer: Tokenizer | None) -> ModelInfo:
    """Describe a transformers model.

    Args:
        network: The model, before anything wraps it.
        family: What the table knows about its `model_type`; None if nothing.
        tokenizer: Its tokenizer, whose special tokens count beside the configuration's.

    Raises:
        CheckpointError: If it is no transformer over tokens.
    """
    config, name = network.config, type(network).__name__
    d_model, n_heads = (
        _number(config, key, name) for key in ("hidden_size", "num_attention_heads")
    )
    d_vocab = _number(config, "vocab_size", name)
    causal = _is_causal(config, name, family)
    return ModelInfo(
        architecture=name,
        n_layers=_number(config, "num_hidden_layers", name),
        n_heads=n_heads,
        d_model=d_model,
        d_head=getattr(config, "head_dim", None) or d_model // n_heads,
        n_ctx=_context(network, family, name),
        d_vocab=d_vocab,
        causal=causal,
        position=_position(config, family),
        residual=family.residual(config.to_dict()) if family else "unknown",
        pad_id=_pad_id(config, tokenizer),
        special_ids=_special_ids(config, tokenizer, d_vocab),
        n_parameters=sum(parameter.numel() for parameter in network.parameters()),
        has_head=_has_head(network, d_vocab),
        reach=_reach(config, causal=causal),
    )


def _number(config: Any, key: str, name: str) -> int:
    value = getattr(config, key, None)
    if not isinstance(value, int):
        raise CheckpointError(
            f"{name}: its configuration has no {key}, so it is no transformer over tokens that "
            "posprobe could measure."
        )
    return value


def _context(network: Any, family: Family | None, name: str) -> int:
    path = family.table_path() if family else None
    if family and path:
        # Configurations differ in whether they count the rows that no token reads.
        rows = network.base_model.get_submodule(path).weight.shape[0]
        return rows - family.offset(network.config.to_dict())
    given = (getattr(network.config, key, None) for key in _LENGTHS)
    length = next((value for value in given if isinstance(value, int)), None)
    return _number(network.config, _LENGTHS[0], name) if length is None else length


def _is_causal(config: Any, name: str, family: Family | None) -> bool:
    if getattr(config, "is_decoder", False):
        return True
    return family.causal if family else "CausalLM" in name or "LMHead" in name


def _position(config: Any, family: Family | None) -> str:
    if getattr(config, "sinusoidal_pos_embds", False):
        return "sinusoidal"
    if family:
        return family.position
    if getattr(config, "alibi", False) or config.model_type in ("bloom", "mpt"):
        return "alibi"
    return "rope" if getattr(config, "rope_parameters", None) else "unknown"


def _reach(config: Any, *, causal: bool) -> tuple[int | None, ...]:
    """Say how far each layer sees: some alternate between a window and everything."""
    window = getattr(config, "sliding_window", None)
    if window is None:
        return ()
    # A window that looks back counts the query itself, one to both sides does not.
    far = window - 1 if causal else window
    kinds = getattr(config, "layer_types", None) or [_WINDOWED] * config.num_hidden_layers
    return tuple(far if kind == _WINDOWED else None for kind in kinds) if _WINDOWED in kinds else ()


def _has_head(network: Any, d_vocab: int) -> bool:
    head = network.get_output_embeddings()
    return head is not None and head.weight.shape[0] == d_vocab


def _pad_id(config: Any, tokenizer: Tokenizer | None) -> int | None:
    if tokenizer is not None and tokenizer.pad_id is not None:
        return tokenizer.pad_id
    return getattr(config, "pad_token_id", None)


def _special_ids(config: Any, tokenizer: Tokenizer | None, d_vocab: int) -> tuple[int, ...]:
    ids: set[int] = set(tokenizer.special_ids) if tokenizer else set()
    for role in _SPECIAL:
        value = getattr(config, f"{role}_token_id", None)
        ids |= set(value) if isinstance(value, list) else set() if value is None else {value}
    return tuple(sorted(index for index in ids if 0 <= index < d_vocab))
