"""The vectors of a Holmes data set: means of a model's states over spans."""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from posprobe.activations.states import stream_states
from posprobe.data.batches import Batch
from posprobe.data.holmes.tokens import HolmesTokens
from posprobe.models.protocol import Model
from posprobe.pipeline.batching import model_batches
from posprobe.pipeline.phenomena.options import HolmesOptions
from posprobe.pipeline.progress import silent


def sample_vectors(
    model: Model, tokens: HolmesTokens, sites: Sequence[str], chosen: HolmesOptions
) -> dict[str, Float[Tensor, "sample d_model"]]:
    """Run the model once and return a vector for each complete sample, by site.

    The vectors of a sample's parts stand one after the other. Only vectors are kept, never the
    states of more than one batch.

    Args:
        model: The model.
        tokens: The data set's tokens.
        sites: Where the states are read.
        chosen: Says how many texts make a batch, and where the model is.
    """
    vectors: dict[str, Tensor] = {}
    batches = model_batches(model, tokens.tokens, chosen, silent, what=tokens.tokens.name)
    for batch, states in stream_states(model, batches, sites, device=chosen.device):
        members = _members(batch, tokens)
        for site, activation in states.items():
            found, means = _means(activation.flatten(2), *members)
            if site not in vectors:
                vectors[site] = means.new_zeros((tokens.n_vectors, means.shape[1]))
            vectors[site][found] = means
    return {site: _parts(found, tokens) for site, found in vectors.items()}


def _members(batch: Batch, tokens: HolmesTokens) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the row, the position and the vector of every token that counts in a batch."""
    texts = batch.documents.numpy()
    starts, ends = tokens.first[texts], tokens.first[texts + 1]
    entries = np.concatenate([np.arange(a, b) for a, b in zip(starts, ends, strict=True)])
    rows = np.repeat(np.arange(len(texts)), ends - starts)
    return rows, tokens.position[entries], tokens.vector[entries]


def _means(
    states: Float[Tensor, "batch pos d_model"],
    rows: np.ndarray,
    positions: np.ndarray,
    vectors: np.ndarray,
) -> tuple[Tensor, Float[Tensor, "vector d_model"]]:
    found, index, counts = np.unique(vectors, return_inverse=True, return_counts=True)
    own = states[torch.from_numpy(rows), torch.from_numpy(positions)].double()
    sums = own.new_zeros((len(found), own.shape[1]))
    sums.index_add_(0, torch.from_numpy(index).to(own.device), own)
    sizes = torch.from_numpy(counts).to(sums)[:, None]
    return torch.from_numpy(found).to(own.device), (sums / sizes).float()


def _parts(
    vectors: Float[Tensor, "vector d_model"], tokens: HolmesTokens
) -> Float[Tensor, "sample _"]:
    """Average the vectors of each part, and put the parts of each sample side by side."""
    parts = len(tokens.complete) * tokens.n_parts
    sums = vectors.new_zeros((parts, vectors.shape[1]))
    source, part = (torch.from_numpy(x).to(vectors.device) for x in (tokens.source, tokens.part))
    sums.index_add_(0, part, vectors[source])
    sizes = torch.bincount(part, minlength=parts)[:, None]
    samples = (sums / sizes).view(len(tokens.complete), -1)
    return samples[torch.from_numpy(tokens.complete).to(vectors.device)]
