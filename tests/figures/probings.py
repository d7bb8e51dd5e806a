"""Results of probes with invented numbers, for figures and reports."""

import numpy as np

from posprobe.analysis.probes import METRICS, ProbeScore, ProbesResult, Score

NAN = float("nan")
TARGETS = ("token", "sentence", "paragraph", "within-sentence", "to-end")
_LEVELS = {"token": 0.98, "sentence": 0.86, "paragraph": 0.8, "within-sentence": 0.7}
_IDENTITY = {"token": 0.06, "sentence": 0.08, "paragraph": 0.03, "within-sentence": 0.21}
_STREAMS = {"whole": 1.0, "ap": 0.98, "sem": 0.55}


def probe_score(value, **changes):
    """A score whose other numbers follow from its headline."""
    place = {
        **{"checkpoint": "dstg-small", "condition": "checkpoint", "stream": "whole"},
        **{"site": "blocks.0.hook_resid_post", "layer": 0, "feature": "state"},
        **{"target": "token", "kind": "number", "probe": "linear"},
    }
    place |= {name: change for name, change in changes.items() if name in place}
    controls = {"shuffled": -0.01, "identity": 0.06}
    controls |= {name: change for name, change in changes.items() if name in controls}
    return ProbeScore(
        **place,
        scores=_scores(value, place["kind"], changes.get("seeds", 1)),
        **controls,
        selectivity_shuffled=value - max(0, controls["shuffled"]),
        selectivity_identity=value - max(0, controls["identity"]),
        penalty=0.01 if place["probe"] == "linear" else None,
        n_train=24_000,
        n_test=6_000,
        undefined=changes.get("undefined"),
    )


def undefined_score(reason="constant", **changes):
    return probe_score(NAN, undefined=reason, shuffled=NAN, identity=NAN, **changes)


def _scores(value, kind, seeds):
    width = 0.004 + 0.06 * (1 - abs(value))
    values = {"r2": value, "nrmse": 0.3 * np.sqrt(max(0, 1 - value)), "macro_f1": value}
    values |= {"pearson": np.sqrt(max(0, value)), "accuracy": 0.1 + 0.9 * value}
    return tuple(
        Score(
            metric=metric,
            value=float(values[metric]),
            low=float(values[metric] - width),
            high=float(values[metric] + width),
            by_seed=tuple(float(values[metric]) + 0.01 * (i - seeds // 2) for i in range(seeds)),
        )
        for metric in METRICS[kind]
    )


def probes_result(
    checkpoints=("dstg-small", "ap-small", "rope-small"),
    streams=("whole",),
    layers=3,
    targets=TARGETS,
    features=("state",),
    init=True,
    **changes,
):
    """Scores of every checkpoint in every stream, from the token embedding on."""
    rng = np.random.default_rng(0)
    scores = []
    for target in targets:
        for where, checkpoint in enumerate(checkpoints):
            for stream in streams:
                for feature in features:
                    for layer in range(-1, layers):
                        level = _level(target, stream, feature, where, layer / max(1, layers - 1))
                        noise = rng.normal(0, 0.01)
                        place = {"checkpoint": checkpoint, "target": target, "stream": stream}
                        place |= {"feature": feature, "layer": layer, **_site(stream, layer)}
                        controls = {"identity": _IDENTITY.get(target, 0.1)}
                        controls["shuffled"] = float(rng.normal(-0.01, 0.01))
                        place |= controls | changes
                        scores.append(probe_score(float(min(0.995, level + noise)), **place))
                        if init:
                            value = float(min(0.97, 0.9 * level + rng.normal(-0.03, 0.01)))
                            place["condition"] = "random init"
                            scores.append(probe_score(value, **place))
    return ProbesResult(
        corpus="generated structured corpus",
        targets=targets,
        train_documents=200,
        test_documents=50,
        scores=tuple(scores),
        notes={},
    )


def _site(stream, layer):
    suffix = "" if stream == "whole" else f"_{stream}"
    return {"site": "hook_embed" if layer == -1 else f"blocks.{layer}.hook_resid_post{suffix}"}


def _level(target, stream, feature, where, depth):
    level = _LEVELS.get(target, 0.55) * _STREAMS[stream] * (0.45 if feature == "norm" else 1)
    if depth < 0:
        return 0.1 * level
    return level * (1 - 0.08 * where - (0.04 + 0.2 * where) * max(0, depth) ** 2)
