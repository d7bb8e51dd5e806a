"""Choosing how a transformers model is listened to."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import torch

from posprobe.core.errors import CheckpointError
from posprobe.core.provenance import CheckpointSource
from posprobe.data.tokenizer import Tokenizer
from posprobe.loaders.attention_listener import NAME, register
from posprobe.loaders.bridge_model import BridgeModel
from posprobe.loaders.hook_model import HookModel
from posprobe.loaders.huggingface_info import model_info
from posprobe.loaders.huggingface_tables import FAMILIES, Family
from posprobe.loaders.wrapped_model import LOGITS, WrappedModel


def wrap(
    build: Callable[[], Any], *, source: CheckpointSource, tokenizer: Tokenizer | None
) -> WrappedModel:
    """Wrap a model: through TransformerLens's bridge where that gives the same logits.

    The bridge rewrites attention for many architectures, and some settings it does not
    follow; a model that comes out different is listened to through plain hooks instead.

    Args:
        build: Makes the model. Called again if the bridge has spoilt it.
        source: Where it came from.
        tokenizer: Its tokenizer, if there is one.

    Raises:
        CheckpointError: If its configuration contradicts itself, so that it cannot run.
    """
    network = build()
    family = FAMILIES.get(network.config.model_type)
    facts = {
        "info": model_info(network, family, tokenizer),
        "source": source,
        "tokenizer": tokenizer,
    }
    _listen(network, family)
    hooked = HookModel(network, family, **facts)
    if not _knows(network) or not hooked.info.has_head:
        return hooked
    try:
        expected = _short_logits(hooked)
    except Exception as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise CheckpointError(f"{source.ref}: the model cannot be run ({reason}).") from error
    # The bridge fails in as many ways as there are settings; hooks need none of it.
    with suppress(Exception):
        if family is None or family.scores != "delegated":
            network.set_attn_implementation("eager")
        bridged = BridgeModel(network, family, **facts)
        if _agree(_short_logits(bridged), expected):
            return bridged
    network = build()
    _listen(network, family)
    return HookModel(network, family, **facts)


def _listen(network: Any, family: Family | None) -> None:
    """Give a model of the table our attention function; an unknown one keeps its own."""
    if family:
        register()
        network.set_attn_implementation(NAME)


def _knows(network: Any) -> bool:
    from transformer_lens.factories.architecture_adapter_factory import SUPPORTED_ARCHITECTURES

    return type(network).__name__ in SUPPORTED_ARCHITECTURES


def _short_logits(model: WrappedModel) -> torch.Tensor:
    length = min(4, model.info.n_ctx, model.info.d_vocab)
    return model.run(torch.arange(length)[None], None, [LOGITS])[LOGITS]


def _agree(one: torch.Tensor, other: torch.Tensor) -> bool:
    share = 1e-3 if one.dtype in (torch.float32, torch.float64) else 5e-2
    return one.shape == other.shape and bool(
        (one - other).abs().max() <= share * other.abs().max().clamp(min=1e-6)
    )
