"""Results of Holmes with invented numbers, for figures and reports."""

import numpy as np

from posprobe.analysis.holmes import Codelength, DatasetScore, HolmesResult
from posprobe.analysis.holmes_means import compare_models, field_scores, phenomenon_scores

PHENOMENA = {
    "morphology": ("anaphor agreement", "subject-verb agreement", "irregular forms"),
    "syntax": ("island effects", "part-of-speech", "negative polarity item licensing"),
    "discourse": ("coreference resolution", "rethorical structure theory"),
}


def dataset_score(value, **changes):
    fields = {
        **{"checkpoint": "dstg-small", "condition": "checkpoint", "place": "last layer"},
        **{"site": "blocks.3.hook_resid_post", "dataset": "blimp-wh_island"},
        **{"field": "syntax", "phenomenon": "island effects", "kind": "class"},
        **{"metric": "macro_f1", "shuffled": 0.4, "classes": 2},
        **{"n_train": 800, "n_dev": 100, "n_test": 200, "left_out": 1},
    } | changes
    by_seed = tuple(value + step for step in (-0.02, -0.01, 0.0, 0.01, 0.02))
    return DatasetScore(
        score=value,
        by_seed=by_seed,
        sd=float(np.std(by_seed, ddof=1)),
        selectivity=value - max(0.0, fields["shuffled"]),
        **fields,
    )


def undefined_dataset(reason="the labels are all alike", **changes):
    nan = float("nan")
    return dataset_score(nan, shuffled=nan, undefined=reason, **changes)


def holmes_result(
    checkpoints=("dstg-small", "rope-small"),
    phenomena=None,
    places=("last layer",),
    init=True,
    more=(),
):
    """Two data sets for each phenomenon; the later a checkpoint, the lower its scores."""
    rng = np.random.default_rng(0)
    level = {name: rng.uniform(0.5, 0.9) for f in (phenomena or PHENOMENA).values() for name in f}
    scores = list(more)
    for place in places:
        for index, checkpoint in enumerate(checkpoints):
            for condition in ("checkpoint", "random init")[: 1 + init]:
                for field, names in (phenomena or PHENOMENA).items():
                    for name in names:
                        low = 0.05 * index + (0.15 if condition != "checkpoint" else 0)
                        value = level[name] - low + rng.normal(0, 0.04)
                        where = {"checkpoint": checkpoint, "condition": condition, "place": place}
                        where |= {"field": field, "phenomenon": name}
                        for part in "ab":
                            dataset = f"{name.replace(' ', '-')}-{part}"
                            code = Codelength(
                                bits=420.5, by_seed=(420.5,), uniform_bits=800.0, compression=1.9
                            )
                            scores.append(
                                dataset_score(
                                    float(value), dataset=dataset, codelength=code, **where
                                )
                            )
    phenomenon = phenomenon_scores(scores)
    return HolmesResult(
        data="flash-holmes",
        seeds=(0, 1, 2, 3, 4),
        checkpoints=tuple(checkpoints),
        places=tuple(places),
        scores=tuple(scores),
        phenomena=phenomenon,
        fields=field_scores(phenomenon),
        comparisons=compare_models(scores),
    )
