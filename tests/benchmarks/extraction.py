"""What it costs to measure while a model runs: `python -m tests.benchmarks.extraction`.

A decoder and a DSTG encoder of 6 layers, 384 wide, with random weights, on documents of 128
tokens. Beside each measure runs the bare model on the same batches, without any hook.
"""

from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import Tensor

from posprobe.activations.logits import Terms, feed_logit_terms, logit_listeners
from posprobe.activations.states import stream_states
from posprobe.analysis.head_sums import HeadSums
from posprobe.analysis.logit_parts import LogitPartSums
from posprobe.analysis.position_means import PositionMeans
from posprobe.analysis.ridge_sums import RidgeSums
from posprobe.analysis.state_parts import StateSums
from posprobe.data.batches import Batch, batches
from posprobe.data.token_set import TokenSet
from posprobe.loaders import load
from posprobe.models.build import build
from posprobe.models.config import DecoderConfig, EncoderConfig
from posprobe.models.hooked import HookedModel
from posprobe.pipeline.tokens import corpus_tokens
from tests.benchmarks.lines import Line, at_most_times, run, times_better
from tests.benchmarks.measuring import Run, seconds, spent

LENGTH, VOCABULARY, BATCH, FOLDS, TARGETS, DOCUMENTS = 128, 2000, 16, 5, 5, 32
SIZES = {"n_layers": 6, "n_heads": 6, "d_model": 384, "d_vocab": VOCABULARY}


def lines() -> Iterator[Line]:
    """Measure."""
    for kind in ("decoder", "encoder", "dstg-tiny"):
        yield from _times(kind)
    for measure in (means, ridge, heads, parts):
        few, many = (spent(_prepare, measure, "encoder", n) for n in (DOCUMENTS, 10 * DOCUMENTS))
        what = f"{measure.__name__}: peak with {10 * DOCUMENTS} documents, beside {DOCUMENTS}"
        yield at_most_times(what, many.peak / 1e6, few.peak / 1e6, 1.05, "MB")
    yield from _beside_run_with_cache()
    yield from _padding()


def _times(kind: str) -> Iterator[Line]:
    model, tokens = _model(kind), _tokens(DOCUMENTS)
    wanted = {means: 1.15, ridge: 1.6} | ({} if kind == "decoder" else {heads: 1.6})
    runs = [_bound(measure, model, tokens) for measure in (bare, *wanted, parts)]
    alone, *others = seconds(*runs)
    for (measure, times), taken in zip([*wanted.items(), (parts, None)], others, strict=True):
        what = f"{kind}: {measure.__name__}, beside the bare model"
        if kind == "dstg-tiny" or times is None:
            yield Line(what=what, ours=taken, beside=alone, ratio=taken / alone)
        else:
            yield at_most_times(what, taken, alone, times)


def _beside_run_with_cache() -> Iterator[Line]:
    model, tokens = _model("decoder"), _tokens(4 * DOCUMENTS)
    ours, cached = means(model, tokens), cached_means(model, tokens)
    assert all(np.allclose(found, cached[site], atol=1e-6) for site, found in ours.items())
    here, there = (
        spent(_prepare, measure, "decoder", 4 * DOCUMENTS, repeats=3)
        for measure in (means, cached_means)
    )
    what = "mean states, beside all batches of run_with_cache kept: memory"
    yield times_better(what, here.added / 1e6, there.added / 1e6, 3, "MB")
    runs = [_bound(measure, model, tokens) for measure in (means, cached_means)]
    yield at_most_times("the same: seconds", *seconds(*runs), 1)


def _padding() -> Iterator[Line]:
    tokens = corpus_tokens(load("dstg-tiny"), "docstrings", documents=500, seed=0)
    sorted_, as_they_come = (_padded(tokens, by_length) for by_length in (True, False))
    what = "padding of 500 docstrings by length, beside the order of the corpus"
    yield Line(what=what, ours=sorted_, beside=as_they_come, unit="%")


def _padded(tokens: TokenSet, by_length: bool) -> float:
    found = list(batches(tokens, batch_size=BATCH, by_length=by_length))
    return 100 * (1 - tokens.ids.size / sum(batch.tokens.numel() for batch in found))


def bare(model: HookedModel, tokens: TokenSet) -> None:
    """Run the model and do nothing with it."""
    with torch.no_grad():
        for batch in batches(tokens, batch_size=BATCH, pad_id=0):
            model(batch.tokens, batch.mask)


def means(model: HookedModel, tokens: TokenSet) -> dict[str, np.ndarray]:
    """Average the states of each layer by position."""
    sums = {site: PositionMeans(LENGTH, site=site) for site in _sites(model)}
    for batch, states in stream_states(model, batches(tokens, batch_size=BATCH), list(sums)):
        for site, activation in states.items():
            sums[site].update(activation.flatten(2), batch.text_mask)
    return {site: found.result().rows for site, found in sums.items()}


def ridge(model: HookedModel, tokens: TokenSet) -> None:
    """Add up XᵀX and Xᵀy of each layer, for five targets."""
    sums: dict[str, RidgeSums] = {}
    place = torch.arange(LENGTH, dtype=torch.float64)
    targets = torch.stack([place**power for power in range(1, TARGETS + 1)], dim=1)
    for batch, states in stream_states(model, batches(tokens, batch_size=BATCH), _sites(model)):
        fold = (batch.documents % FOLDS).repeat_interleave(LENGTH)
        for site, activation in states.items():
            if site not in sums:
                width = activation.flatten(2).shape[2]
                sums[site] = RidgeSums(folds=FOLDS, width=width, targets=TARGETS)
            sums[site].update(activation[batch.text_mask], targets.repeat(len(batch), 1), fold)


def heads(model: HookedModel, tokens: TokenSet) -> None:
    """Split the logits of every head among their terms."""
    info = model.info
    sums = HeadSums(info.n_layers, info.n_heads, info.logit_terms)
    feed_logit_terms(model, batches(tokens, batch_size=BATCH), sums.update)


def parts(model: HookedModel, tokens: TokenSet) -> None:
    """Split the states of each layer and the logits of every head into position and content."""
    info, names = model.info, model.info.logit_terms
    allowed = torch.ones(LENGTH, LENGTH, dtype=torch.bool)
    logits = LogitPartSums(
        info.n_layers, info.n_heads, allowed.tril() if info.causal else allowed, terms=names
    )
    states = {site: StateSums() for site in _sites(model)}
    for batch in batches(tokens, batch_size=BATCH):

        def add(layer: int, scores: Tensor, terms: Terms, batch: Batch = batch) -> None:
            logits.update(layer, scores, batch.documents, terms)

        edits = logit_listeners(model, add, names=names)
        for _, activations in stream_states(model, [batch], list(states), edits=edits):
            for site, activation in activations.items():
                states[site].update(activation, batch.documents)


def cached_means(model: HookedModel, tokens: TokenSet) -> dict[str, np.ndarray]:
    """Average the states that TransformerLens caches of all documents."""
    sites = _sites(model)
    with torch.no_grad():
        kept = [
            model.run_with_cache(batch.tokens, batch.mask, names_filter=sites)[1]
            for batch in batches(tokens, batch_size=BATCH)
        ]
    return {
        site: torch.cat([cache[site] for cache in kept]).double().mean(dim=0).numpy()
        for site in sites
    }


def _sites(model: HookedModel) -> list[str]:
    suffix = "_sem" if model.info.streams else ""
    return [f"blocks.{layer}.hook_resid_post{suffix}" for layer in range(model.info.n_layers)]


def _prepare(measure: Callable[..., object], kind: str, documents: int) -> Run:
    model = _model(kind)
    measure(model, _tokens(BATCH))  # compiles, and fills pools
    return _bound(measure, model, _tokens(documents))


def _bound(measure: Callable[..., object], model: HookedModel, tokens: TokenSet) -> Run:
    return lambda: measure(model, tokens)


def _model(kind: str) -> HookedModel:
    if kind == "decoder":
        return build(DecoderConfig(**SIZES))
    if kind == "encoder":
        return build(EncoderConfig(**SIZES, d_pos=48, d_mlp=1024, rp_border="none"))
    return load(kind)


def _tokens(documents: int) -> TokenSet:
    rows = np.random.default_rng(0).integers(4, VOCABULARY, size=(documents, LENGTH))
    return TokenSet.from_rows(rows, name="random tokens")


if __name__ == "__main__":
    run("extraction", lines())
