"""Decompositions as the measure returns them, with invented numbers."""

import numpy as np

from posprobe.analysis.decomposition import DecompositionResult, LogitParts, StateParts
from posprobe.analysis.head_classes import classify, count_classes


def sample(
    layers=3, heads=4, streams=("whole", "ap", "sem"), terms=True, seed=0, init=True, logits=True
):
    rng = np.random.default_rng(seed)
    states = tuple(_state(layer, stream, rng) for layer in range(-1, layers) for stream in streams)
    return DecompositionResult(
        checkpoint="dstg-small",
        states=states,
        logits=_logits(layers, heads, terms, rng) if logits else None,
        documents=100,
        first=0,
        positions=128,
        init=sample(layers, heads, streams, terms, seed + 1, False, logits) if init else None,
    )


def _state(layer, stream, rng):
    end = "" if stream == "whole" else f"_{stream}"
    name = "blocks.0.hook_resid_pre" if layer < 0 else f"blocks.{layer}.hook_resid_post"
    share = rng.dirichlet([2, 1, 4])
    return StateParts(
        site=name + end,
        layer=layer,
        stream=stream,
        share=share,
        share_se=np.array([0.01, 0.02, 0.02]),
        without=share + 0.003 * rng.normal(size=(10, 3)),
        variance=float(rng.uniform(10, 20)),
        rank=int(rng.integers(1, 9)),
        low4=float(rng.uniform(0.2, 0.9)),
        low4_se=0.02,
        peak=3,
        peak_share=0.12,
    )


def _logits(layers, heads, terms, rng):
    share = rng.dirichlet([0.5, 0.5, 0.5], size=(layers, heads))
    classes = classify(share, ("ap", "sem", "rp"))
    offsets = np.arange(-32, 33)
    width = rng.uniform(4, 30, size=(layers, heads, 1))
    return LogitParts(
        share=share,
        share_se=np.full(share.shape, 0.012),
        variance=rng.uniform(0.5, 4, size=(layers, heads)),
        classes=classes,
        threshold=0.6,
        class_counts=count_classes(classes),
        curve=2 * np.exp(-np.abs(offsets) / width),
        offsets=offsets,
        agreement=rng.uniform(0.5, 1, size=(layers, heads, 4 if terms else 0)),
    )
