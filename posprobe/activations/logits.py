"""The attention logits of a model as the sum of terms it makes them from."""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from posprobe.core.errors import UserError
from posprobe.data.batches import Batch
from posprobe.models.protocol import Edit, Model, ModelInfo

Terms = dict[str, Float[Tensor, "_ head query key"]]
Consumer = Callable[[int, Terms, Bool[Tensor, "batch query key"], Int[Tensor, " batch"]], None]
"""Takes a layer, its terms, which pairs count, and the documents' numbers."""

SCORES = "blocks.{layer}.attn.hook_attn_scores"


def feed_logit_terms(
    model: Model, batches: Iterable[Batch], consume: Consumer, *, device: str = "cpu"
) -> None:
    """Run the model and hand every layer's logit terms to `consume` as they arise.

    The terms of one layer and one batch are all that is ever held: those of a corpus, or
    even of a deep model, would not fit.

    Args:
        model: A model whose logits are a sum of terms it can show.
        batches: Token ids with their masks; of equal length where `info.equal_lengths`.
        consume: What adds them up.
        device: Where the model is.

    Raises:
        UserError: If the model has no such terms.
    """
    names = require_terms(model)
    for batch in batches:
        allowed = counted_pairs(batch.text_mask, causal=model.info.causal).to(device)
        hand_on = partial(_hand_on, consume, allowed, batch.documents)
        edits = logit_listeners(model, hand_on, names=names)
        model.run(batch.tokens.to(device), batch.mask.to(device), edits=edits)


def logit_listeners(
    model: Model, consume: Callable[[int, Tensor, Terms], None], *, names: tuple[str, ...] = ()
) -> list[Edit]:
    """Return edits that change nothing and hand on each layer's logits as they arise.

    Args:
        model: A model that shows its attention scores; see `shows_logits`.
        consume: Takes a layer, its logits before any mask, and the terms by name.
        names: The terms to hand on beside the logits.
    """
    return [
        edit
        for layer in range(model.info.n_layers)
        for edit in _listeners(layer, names, partial(consume, layer))
    ]


def shows_logits(model: Model) -> bool:
    """Say whether the attention logits of every layer can be read."""
    known = set(model.sites())
    return {SCORES.format(layer=layer) for layer in range(model.info.n_layers)} <= known


def require_terms(model: Model) -> tuple[str, ...]:
    """Return the names of a model's logit terms.

    Raises:
        UserError: If its logits are not a sum of terms it can show.
    """
    if not model.info.logit_terms:
        raise UserError(
            f"{model.source.ref}: its attention logits are not a sum of separate terms "
            f"(position: {model.info.position}); `heads` needs a DSTG or RP model, "
            "`posprobe decomposition` splits those of any model"
        )
    return model.info.logit_terms


def counted_pairs(
    text_mask: Bool[Tensor, "batch pos"], *, causal: bool
) -> Bool[Tensor, "batch query key"]:
    """Say which (query, key) pairs are counted: both text, and the key not hidden.

    Causality and padding come from here, never from looking for infinities.

    >>> from torch import tensor
    >>> counted_pairs(tensor([[True, True, False]]), causal=True).int().tolist()
    [[[1, 0, 0], [1, 1, 0], [0, 0, 0]]]
    """
    pairs = text_mask[:, :, None] & text_mask[:, None, :]
    return pairs.tril() if causal else pairs


def seen_pairs(
    info: ModelInfo, places: Int[np.ndarray, " place"]
) -> Bool[Tensor, "layer place place"]:
    """Say which (query, key) pairs of these places attention can look at, by layer.

    Args:
        info: Says whether the model is causal, and whether a layer sees a window only.
        places: Positions in the sequence.
    """
    there = torch.from_numpy(places)
    distance = there[:, None] - there[None, :]
    seen = distance >= 0 if info.causal else torch.ones_like(distance, dtype=torch.bool)
    reach = info.reach or (None,) * info.n_layers
    return torch.stack([seen if far is None else seen & (distance.abs() <= far) for far in reach])


def _hand_on(
    consume: Consumer, allowed: Tensor, documents: Tensor, layer: int, _: Tensor, terms: Terms
) -> None:
    consume(layer, terms, allowed, documents)


def _listeners(
    layer: int, names: tuple[str, ...], consume: Callable[[Tensor, Terms], None]
) -> list[Edit]:
    """Collect a layer's terms and hand them on when their sum has been made."""
    terms: Terms = {}
    scores = SCORES.format(layer=layer)

    def keep(name: str, activation: Tensor) -> Tensor:
        terms[name] = activation
        return activation

    def finish(total: Tensor) -> Tensor:
        consume(total, terms)
        terms.clear()
        return total

    kept: list[Edit] = [(f"{scores}_{name}", lambda x, name=name: keep(name, x)) for name in names]
    return [*kept, (scores, finish)]
