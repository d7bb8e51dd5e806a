"""How fast linear probes are beside scikit-learn's: `python -m tests.benchmarks.probes`.

Both choose a penalty for each target from the same list by the same folds of documents. Where
folds are given, scikit-learn's RidgeCV tries each penalty in each fold by a fit of its own; the
features are standardised in each fold anew, as a pipeline does it. RidgeCV without folds leaves
out one token at a time, which is another question, since tokens of one document are not
independent; it is measured beside, at the same size. scikit-learn is measured at some of the
probes and multiplied, as each takes it as long as any other.
"""

from collections.abc import Iterator
from time import perf_counter

import numpy as np
import torch
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from posprobe.analysis.ridge_sums import PENALTIES, RidgeSums
from tests.benchmarks.lines import Line, run, times_better

LAYERS, STREAMS, TARGETS = 12, 3, 5
TOKENS, WIDTH, DOCUMENTS, FOLDS, BATCH = 10_000, 128, 100, 5, 2048
SAMPLED = 2


def lines() -> Iterator[Line]:
    """Measure."""
    places = LAYERS * STREAMS
    states, targets, document = _data(places)
    fold = document % FOLDS
    start = perf_counter()
    ours = [_ours(own, targets, fold) for own in states]
    each = (perf_counter() - start) / (places * TARGETS)
    what = f"one of {places * TARGETS} probes, beside scikit-learn's"
    theirs = {"GridSearchCV by folds": _by_folds, "RidgeCV, tokens left out": _by_token}
    for name, fit in theirs.items():
        start = perf_counter()
        fits = [
            fit(own, targets[:, target], fold) for own in states[:SAMPLED] for target in range(2)
        ]
        taken = (perf_counter() - start) / len(fits)
        if fit is _by_token:
            yield Line(what=f"{what} {name}", ours=each, beside=taken, ratio=taken / each)
        else:
            yield times_better(f"{what} {name}", each, taken, 20)
            found = [ridge for ridge in ours[:SAMPLED] for _ in range(2)]
            _require_equal(found, fits, states, targets)
    yield Line(what=f"all {places * TARGETS} probes of ours", ours=each * places * TARGETS)


def _data(places: int) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    states = [rng.normal(size=(TOKENS, WIDTH)).astype(np.float32) for _ in range(places)]
    weights = rng.normal(size=(WIDTH, TARGETS))
    noise = rng.normal(size=(TOKENS, TARGETS)) * 10
    document = np.repeat(np.arange(DOCUMENTS), TOKENS // DOCUMENTS)
    return states, sum(own @ weights for own in states) / places**0.5 + noise, document


def _ours(states: np.ndarray, targets: np.ndarray, fold: np.ndarray):
    sums = RidgeSums(folds=FOLDS, width=WIDTH, targets=TARGETS)
    for first in range(0, TOKENS, BATCH):
        rows = slice(first, first + BATCH)
        sums.update(*(torch.from_numpy(each[rows]) for each in (states, targets, fold)))
    return sums.fit()


def _by_folds(states: np.ndarray, target: np.ndarray, fold: np.ndarray):
    # The penalty is per token, so that it is the same in a fold and in the whole.
    size = TOKENS * (FOLDS - 1) / FOLDS
    search = GridSearchCV(
        make_pipeline(StandardScaler(), Ridge()),
        {"ridge__alpha": np.array(PENALTIES) * size},
        scoring="neg_mean_squared_error",
        cv=GroupKFold(FOLDS).split(states, target, fold),
        refit=False,
    ).fit(states.astype(np.float64), target)
    penalty = search.best_params_["ridge__alpha"] / size
    final = make_pipeline(StandardScaler(), Ridge(alpha=penalty * TOKENS))
    return final.fit(states.astype(np.float64), target)


def _by_token(states: np.ndarray, target: np.ndarray, fold: np.ndarray):
    alphas = np.array(PENALTIES) * TOKENS
    return make_pipeline(StandardScaler(), RidgeCV(alphas=alphas)).fit(
        states.astype(np.float64), target
    )


def _require_equal(ours, theirs, states, targets) -> None:
    for index, (ridge, fit) in enumerate(zip(ours, theirs, strict=True)):
        place, target = divmod(index, 2)
        guess = ridge.predict(torch.from_numpy(states[place]))[:, target]
        scores = [r2_score(targets[:, target], g) for g in (guess, fit.predict(states[place]))]
        assert abs(scores[0] - scores[1]) < 1e-6, scores


if __name__ == "__main__":
    run("probes", lines())
