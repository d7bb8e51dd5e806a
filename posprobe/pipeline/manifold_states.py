"""The shape that positions take in the mean states of a model."""

from collections.abc import Iterator

import numpy as np

from posprobe.activations.states import stream_states
from posprobe.analysis.manifold import Manifold, measure_manifold
from posprobe.analysis.position_means import PositionMeans
from posprobe.data.token_set import TokenSet
from posprobe.loaders import load
from posprobe.models.protocol import Model
from posprobe.pipeline.batching import model_batches
from posprobe.pipeline.opening import load_options
from posprobe.pipeline.options import ManifoldOptions
from posprobe.pipeline.parts import Part
from posprobe.pipeline.progress import Progress
from posprobe.pipeline.sites import available, expand_sites, layer_of
from posprobe.pipeline.summed import summed
from posprobe.pipeline.tokens import corpus_tokens
from posprobe.pipeline.training_facts import training_facts


def open_states(ref: str, chosen: ManifoldOptions) -> tuple[Model, TokenSet]:
    """Open the model and the documents, and check the sites."""
    model = load(ref, **load_options(chosen))
    _sites(model, chosen)
    tokens = corpus_tokens(
        model,
        chosen.corpus,
        documents=chosen.documents,
        seed=chosen.seed,
        length=chosen.length,
    )
    return model, tokens


def measure_states(
    model: Model, name: str, tokens: TokenSet, chosen: ManifoldOptions, progress: Progress
) -> tuple[Manifold, ...]:
    """Measure the mean states of each site."""
    sites = _sites(model, chosen)
    n_positions = chosen.positions
    if n_positions is None:
        n_positions = int(np.median(_text_lengths(tokens)))
    means = {site: PositionMeans(n_positions, site=site) for site in sites}

    def add(part: Part | None) -> None:
        steps = model_batches(model, tokens, chosen, progress, what=name, part=part)
        for batch, states in stream_states(model, steps, sites, device=chosen.device):
            for site, activation in states.items():
                means[site].update(activation.flatten(2), batch.text_mask)

    summed(means, add)
    return tuple(_describe(means, model, name, tokens, chosen))


def _describe(
    means: dict[str, PositionMeans],
    model: Model,
    name: str,
    tokens: TokenSet,
    chosen: ManifoldOptions,
) -> Iterator[Manifold]:
    for site, sums in means.items():
        found = sums.result()
        note = f"mean over {found.documents} documents of {tokens.name}"
        if found.too_short:
            note += f"; {found.too_short} end before position {len(found.rows) - 1}"
        yield measure_manifold(
            found.rows,
            label=name,
            checkpoint=model.source.ref,
            site=site,
            layer=layer_of(site),
            seed=chosen.seed,
            draws=chosen.draws,
            note=note,
            **training_facts(model.source),
        )


def _sites(model: Model, chosen: ManifoldOptions) -> list[str]:
    if chosen.site:
        return expand_sites(model, chosen.site)
    suffixes = [f"_{stream}" for stream in model.info.streams] or [""]
    return available(model, [f"hook_resid_post{suffix}" for suffix in suffixes])


def _text_lengths(tokens: TokenSet) -> np.ndarray:
    return np.array([np.isin(row, tokens.special_ids, invert=True).sum() for row in tokens])
