"""Running a model over a corpus and handing on its activations, batch by batch."""

from collections.abc import Iterable, Iterator, Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from posprobe.core.errors import NonFiniteError
from posprobe.data.batches import Batch
from posprobe.models.protocol import Edit, Model


def stream_states(
    model: Model,
    batches: Iterable[Batch],
    sites: Sequence[str],
    *,
    device: str = "cpu",
    edits: Sequence[Edit] = (),
) -> Iterator[tuple[Batch, dict[str, Float[Tensor, "batch pos ..."]]]]:
    """Run the model on each batch and give the asked activations beside it.

    Only one batch's activations are held at a time, and only those of the asked sites.

    Args:
        model: The model.
        batches: Token ids with their masks.
        sites: Hook names whose activations have axes batch and pos in front.
        device: Where the model is.
        edits: Interventions.

    Raises:
        UserError: If a site does not exist.
        NonFiniteError: If an activation of a real token is inf or NaN.
    """
    for batch in batches:
        tokens, mask = batch.tokens.to(device), batch.mask.to(device)
        states = model.run(tokens, mask, sites, edits)
        for site, activation in states.items():
            _require_finite(activation, mask, site)
        yield batch, states


def _require_finite(
    activation: Float[Tensor, "batch pos ..."], mask: Bool[Tensor, "batch pos"], site: str
) -> None:
    # Adding zero times a number shows inf and NaN alike, at the cost of one sum.
    if bool((activation.sum() * 0 == 0).item()):
        return
    real = activation[mask]
    bad = (~torch.isfinite(real)).float().mean().item()
    if bad:
        raise NonFiniteError(
            f"{site}: {bad:.2%} of the activations are inf or NaN; "
            "run with --dtype float32, or check the checkpoint"
        )
