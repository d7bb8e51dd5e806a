"""Results as the measures return them, with invented numbers, for figures and reports."""

from dataclasses import replace

import numpy as np
from scipy.fft import dct

from posprobe.analysis.adjacency import (
    AdjacencyResult,
    AdjacencyScore,
    Similarity,
    VarianceByPosition,
)
from posprobe.analysis.heads import HeadsResult
from posprobe.analysis.manifold import NULLS, Manifold, ManifoldResult, Null
from posprobe.core.provenance import CheckpointSource, Provenance, TokenSource

NASTY = "<script>alert('x')</script> $5 & %{x} _b"


def provenance(name="dstg-small", *more, **changes):
    sources = tuple(
        CheckpointSource(
            ref=ref,
            format="native",
            sha256="3f" * 32,
            trained={"recipe": "small", "steps": 4000, "loss": 2.31},
        )
        for ref in (name, *more)
    )
    tokens = TokenSource(
        name="generated structured corpus",
        sha256="a1" * 32,
        documents=256,
        tokens=31_872,
        truncated=3,
        too_short=1,
    )
    fields = {
        "command": f"posprobe measure '{name}' --seed 0",
        "checkpoints": sources,
        "tokens": (tokens,),
        "options": {"source": "table", "draws": 20},
        "versions": {"python": "3.11.7", "numpy": "2.4.6"},
    }
    return Provenance(**(fields | changes))


def manifold(label="dstg-small", positions=64, dimensions=24, noise=0.3, seed=0, **changes):
    rng = np.random.default_rng(seed)
    time = (np.arange(positions) + 0.5) / positions
    waves = np.stack([np.cos(np.pi * k * time) for k in (1, 2, 3)], axis=1) * [3, 2, 0.6]
    basis = np.linalg.qr(rng.normal(size=(dimensions, 3)))[0]
    table = waves @ basis.T + noise * rng.normal(size=(positions, dimensions))
    table -= table.mean(axis=0)
    u, s, _ = np.linalg.svd(table, full_matrices=False)
    ratio = s**2 / (s**2).sum()
    scores = u * s
    power = dct(scores, axis=0, norm="ortho").T ** 2
    power /= power.sum(axis=1, keepdims=True)
    low4 = power[:, 1:5].sum(axis=1)
    two = ratio[:2]
    top2, low4_top2, low4_all = two.sum(), (two @ low4[:2]) / two.sum(), ratio @ low4
    numbers = {"top2": top2, "low4_top2": low4_top2, "low4_all": low4_all}
    reach = np.cumsum(ratio)
    fields = {
        "label": label,
        "checkpoint": label,
        "site": "table",
        "layer": None,
        "n_positions": positions,
        "n_dimensions": dimensions,
        "variance_ratio": ratio,
        "scores": scores[:, :3],
        "spectrum": power[:8],
        "low4": low4,
        **{name: float(value) for name, value in numbers.items()},
        "participation_ratio": float(1 / (ratio**2).sum()),
        **{f"n_{n}": int((reach < n / 100).sum()) + 1 for n in (90, 95, 99)},
        "nulls": {name: _null(name, numbers) for name in NULLS},
    }
    return Manifold(**(fields | changes))


def undefined_manifold(label="constant"):
    nan = float("nan")
    null = Null(**{name: nan for name in Null.__dataclass_fields__ if name != "draws"}, draws=20)
    numbers = ("top2", "low4_top2", "low4_all", "participation_ratio")
    return manifold(
        label,
        positions=8,
        dimensions=4,
        variance_ratio=np.full(4, nan),
        scores=np.zeros((8, 3)),
        spectrum=np.full((4, 8), nan),
        low4=np.full(4, nan),
        **dict.fromkeys(numbers, nan),
        **{"n_90": 0, "n_95": 0, "n_99": 0},
        nulls=dict.fromkeys(NULLS, null),
        undefined="all rows are equal",
    )


def _null(name, numbers):
    means = {
        "gaussian": (0.12, 0.14, 0.13),
        "random walk": (0.76, 0.94, 0.88),
        "shuffled": (float(numbers["top2"]), 0.13, 0.13),
    }[name]
    values = dict(zip(numbers, means, strict=True))
    excess = {
        f"excess_{key}": float((numbers[key] - value) / (1 - value))
        for key, value in values.items()
    }
    return Null(**values, **{f"{key}_sd": 0.03 for key in values}, **excess, draws=20)


def manifold_result(*manifolds):
    if manifolds:
        return ManifoldResult(manifolds=manifolds)
    return ManifoldResult(manifolds=(manifold(), manifold("ap-baseline", noise=1.2, seed=1)))


def layered_result(layers=4, checkpoints=("dstg-small", "ap-baseline"), **changes):
    return ManifoldResult(
        manifolds=tuple(
            manifold(
                name,
                noise=0.1 + 0.2 * layer + 0.3 * index,
                seed=layer + 100 * index,
                checkpoint=f"checkpoints/{name}",
                site=f"blocks.{layer}.hook_resid_post",
                layer=layer,
                **changes,
            )
            for index, name in enumerate(checkpoints)
            for layer in range(layers)
        )
    )


def heads_result(layers=3, heads=4, terms=("ap", "sem", "rp"), reach=24, seed=0, init=True):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, len(terms), size=(layers, heads))
    alpha = 0.7 + 9 * np.eye(len(terms))[kind]
    share = np.stack([rng.dirichlet(row) for row in alpha.reshape(-1, len(terms))])
    share = share.reshape(layers, heads, len(terms)) * 1.08 - 0.08 / len(terms)
    names = {"ap": "structure", "sem": "semantic", "rp": "relative"}
    best = share.argmax(axis=2)
    classes = tuple(
        tuple(
            names[terms[best[i, j]]] if share[i, j, best[i, j]] >= 0.6 else "mixed"
            for j in range(heads)
        )
        for i in range(layers)
    )
    flat = [name for row in classes for name in row]
    edges = np.linspace(-0.2, 1.2, 21)
    ap = share[:, :, terms.index("ap")].reshape(-1) if "ap" in terms else None
    offsets = np.arange(-reach, reach + 1)
    width = rng.uniform(4, 30, size=(layers, heads, 1))
    near = rng.uniform(0.2, 0.7, size=(layers, heads))
    distance = rng.uniform(8, 30, size=(layers, heads))
    nan = np.full((layers, heads), np.nan)
    rp = "rp" in terms
    return HeadsResult(
        checkpoint="dstg-small",
        terms=terms,
        share=share,
        fraction=np.abs(share) / np.abs(share).sum(axis=2, keepdims=True),
        share_se=np.full(share.shape, 0.012),
        variance=rng.uniform(0.5, 4, size=(layers, heads)),
        divergence=np.clip(share * rng.uniform(0.3, 0.9, size=share.shape), 0, 1),
        classes=classes,
        threshold=0.6,
        class_counts={name: flat.count(name) for name in (*names.values(), "mixed", "undefined")},
        hist_counts=None if ap is None else np.histogram(np.clip(ap, -0.2, 1.2), bins=edges)[0],
        hist_edges=None if ap is None else edges,
        separation=float("nan") if ap is None else 0.91,
        cut=float("nan") if ap is None else 0.48,
        distance=distance if rp else nan,
        distance_without_rp=distance + rng.normal(4, 4, size=distance.shape) if rp else nan,
        near=near if rp else nan,
        near_without_rp=near * 0.7 if rp else nan,
        bias_curve=2 * np.exp(-np.abs(offsets) / width) if rp else np.zeros((layers, heads, 0)),
        offsets=offsets if rp else np.zeros(0, dtype=np.int64),
        documents=256,
        queries=30_000,
        pairs=1_900_000,
        init=heads_result(layers, heads, terms, reach, seed=seed + 1, init=False) if init else None,
    )


def undefined_heads():
    result = heads_result()
    share, divergence = result.share.copy(), result.divergence.copy()
    share[0, 1], divergence[0, 1] = np.nan, np.nan
    classes = (("structure", "undefined", "semantic", "mixed"), *result.classes[1:])
    flat = [name for row in classes for name in row]
    counts = {name: flat.count(name) for name in result.class_counts}
    return replace(result, share=share, divergence=divergence, classes=classes, class_counts=counts)


def score(condition, site, layer, mean, feature="cosine", head=None, samples=8):
    rows = np.clip(mean + np.linspace(-0.02, 0.02, samples), 0, 1)
    numbers = {}
    for name, shift in (("rows", 0.0), ("triples", 0.01)):
        numbers |= {f"{name}_mean": float(mean) + shift, f"{name}_sd": 0.02}
        numbers |= {f"{name}_low": float(mean) - 0.015, f"{name}_high": float(mean) + 0.015}
    return AdjacencyScore(
        condition=condition,
        site=site,
        layer=layer,
        head=head,
        feature=feature,
        rows=rows,
        triples=rows + 0.01,
        **numbers,
        left_out=0,
    )


def adjacency_result(layers=3, length=22, heads=0, checkpoint="nanogpt-nope", conditions=None):
    conditions = conditions or {"checkpoint": 0.97, "random init": 0.95, "non-causal": 0.5}
    scores, similarity, variance = [], [], []
    rng = np.random.default_rng(0)
    time = np.arange(length)
    for condition, level in conditions.items():
        sites = [("hook_embed", -1)] + [(f"blocks.{i}.attn.hook_z", i) for i in range(layers)]
        for site, layer in sites:
            mean = 0.49 if layer == -1 else min(0.99, level + 0.008 * layer)
            scores.append(score(condition, site, layer, mean))
            scores.append(score(condition, site, layer, 0.5 + (mean - 0.5) * 0.6, "norm"))
            scores += [
                score(condition, site, layer, mean - 0.05 * head, head=head)
                for head in range(heads if layer >= 0 else 0)
            ]
            small, large = np.minimum.outer(time, time) + 1, np.maximum.outer(time, time) + 1
            matrix = np.sqrt(small / large) if mean > 0.6 else 0.1 + 0 * small + np.eye(length)
            step = -(-length // 64)
            matrix = matrix[::step, ::step] + 0.02 * rng.normal(size=(-(-length // step),) * 2)
            item = {"condition": condition, "site": site, "layer": layer}
            similarity.append(Similarity(**item, matrix=matrix, stride=step))
            values = 0.02 / (1 + time) + 0.001 * (layer + 2)
            variance.append(VarianceByPosition(**item, values=values))
    return AdjacencyResult(
        checkpoint=checkpoint,
        task="reversal",
        ties="strict",
        average="rows",
        scores=tuple(scores),
        similarity=tuple(similarity),
        variance=tuple(variance),
        sequences=8,
        length=length,
    )
