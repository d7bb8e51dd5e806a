"""The claims of arXiv 2501.00073, on causal models without position encoding."""

import math
from collections.abc import Iterator

from posprobe.analysis.adjacency import AdjacencyResult, AdjacencyScore
from posprobe.analysis.claims import Claim, Criterion
from posprobe.analysis.probes import ProbesResult
from posprobe.pipeline.claims.runs import UNTRAINED, ClaimRuns
from posprobe.report.report import Report

PAPER = "arXiv 2501.00073"
CONTROL = "nanogpt-nope-noncausal"
"""A model that was trained without the causal mask."""
FIRST, EMBEDDING = "blocks.0.attn.hook_z", "hook_embed"
TASKS = ("addition", "reversal", "indexing", "ordering")
SIZES = tuple((layers, width) for layers in (6, 12, 24) for width in (192, 384, 768))
RANDOM = "random init"
CHANCE = (0.4, 0.6)
HIGH = 0.8
"""The lowest score that the paper reports after the first causal attention."""


def similarity_appears(runs: ClaimRuns) -> Claim:
    """B1: no adjacency at the token embedding, much after the first causal attention."""
    named = {"untrained": (runs.untrained, RANDOM), "trained": (runs.similarity, "checkpoint")}
    criteria = [
        criterion
        for name, (report, condition) in named.items()
        if report is not None
        for criterion in (
            _near_chance(f"token embedding, {name}", _of(report, EMBEDDING, condition)),
            _high(f"first attention, {name}", _of(report, FIRST, condition)),
        )
    ]
    return Claim(
        id="B1",
        says="Adjacency is at chance in the token embedding and high after the first causal "
        "attention.",
        paper=PAPER,
        number="0.5, then 0.8 to 1.0",
        criteria=tuple(criteria),
        commands=(*_commands(runs.untrained), *_commands(runs.similarity)),
        evidence="adjacency-layers",
    )


def tasks_agree(runs: ClaimRuns) -> Claim:
    """B2: the same before and after training, on four tasks."""
    reports = [runs.scores(UNTRAINED, init=True, task=task) for task in TASKS]
    criteria = [
        _high(f"{task}, untrained", _of(report, FIRST, RANDOM))
        for task, report in zip(TASKS, reports, strict=True)
        if report is not None
    ]
    trained = [(ref, runs.scores(ref, task=task)) for ref, task in runs.trained]
    for ref, report in trained:
        if report is not None:
            criteria.append(_high(f"{_task(report)}, trained ({ref})", _of(report, FIRST)))
    return Claim(
        id="B2",
        says="The same holds untrained and trained, on addition, reversal, indexing and ordering.",
        paper=PAPER,
        number="a table, 0.8 to 1.0",
        criteria=tuple(criteria),
        commands=tuple(c for r in (*reports, *(r for _, r in trained)) for c in _commands(r)),
        remark="Scores after the first causal attention.",
    )


def sizes_agree(runs: ClaimRuns) -> Claim:
    """B3: the same whatever the depth and the width."""
    sizes = SIZES[:2] if runs.chosen.quick else SIZES
    reports = [runs.scores(f"nanogpt-nope-{d}x{w}", init=True) for d, w in sizes]
    criteria = [
        _high(f"{depth} layers, {width} wide, last attention", _last(report))
        for (depth, width), report in zip(sizes, reports, strict=True)
        if report is not None
    ]
    return Claim(
        id="B3",
        says="The same holds for 6, 12 and 24 layers and widths of 192, 384 and 768.",
        paper=PAPER,
        number="a table",
        criteria=tuple(criteria),
        commands=tuple(command for report in reports for command in _commands(report)),
        remark="Untrained models." + (" Two of nine sizes (quick)." if runs.chosen.quick else ""),
    )


def small_variance_keeps_it(runs: ClaimRuns) -> Claim:
    """B4: a small initial variance keeps it, a large one does not; the mean matters little."""
    small = {std: runs.scores(UNTRAINED, init=True, init_std=std) for std in (0.002, 0.02)}
    large = runs.scores(UNTRAINED, init=True, init_std=0.2)
    moved = {
        mean: runs.scores(UNTRAINED, init=True, init_std=0.02, init_mean=mean)
        for mean in (4.0, 8.0)
    }
    criteria = [
        *(
            _high(f"σ = {std:g}, first attention", _of_init(report))
            for std, report in small.items()
        ),
        _lost("σ = 0.2, first attention", _of_init(large)),
        *(_high(f"mean {mean:g}, first attention", _of_init(r)) for mean, r in moved.items()),
    ]
    return Claim(
        id="B4",
        says="A small initial variance (σ ≤ 0.02) keeps the pattern, σ = 0.2 destroys it, and the "
        "mean (0, 4, 8) matters little.",
        paper=PAPER,
        number="a table",
        criteria=tuple(criteria),
        commands=tuple(
            c for report in (*small.values(), large, *moved.values()) for c in _commands(report)
        ),
        remark="Untrained models.",
    )


def similarity_tells_position(runs: ClaimRuns) -> Claim:
    """B5: position is read better from similarity than from length."""
    criteria: list[Criterion] = []
    if runs.features is not None:
        assert isinstance(runs.features.result, ProbesResult)
        criteria = list(_better(runs.features.result))
    return Claim(
        id="B5",
        says="Position is read better from the cosine to the last token than from the norm.",
        paper=PAPER,
        number="a table of NRMSE and r",
        criteria=tuple(criteria),
        commands=_commands(runs.features),
        evidence="probe-features-token-linear",
        remark="Means over the layers' attention, before the output projection; random tokens, "
        "others in the test than in training.",
    )


def causality_makes_it(runs: ClaimRuns) -> Claim:
    """B6: without the causal mask there is no pattern."""
    criteria: list[Criterion] = []
    control = runs.scores(CONTROL) if runs.has(CONTROL) else None
    named = {"untrained": (runs.untrained, "non-causal"), "trained": (control, "checkpoint")}
    for name, (report, condition) in named.items():
        if report is not None:
            scores = [s for s in _adjacency(report).scores if s.condition == condition and _is_z(s)]
            criteria += [
                _near_chance(f"first attention, {name}", scores[0]),
                _near_chance(f"last attention, {name}", scores[-1]),
            ]
    return Claim(
        id="B6",
        says="Non-causal attention shows no such pattern.",
        paper=PAPER,
        number="about 0.5",
        criteria=tuple(criteria),
        commands=(*_commands(runs.untrained), *_commands(control)),
        evidence="adjacency-layers",
    )


CAUSAL_CLAIMS = {
    "B1": similarity_appears,
    "B2": tasks_agree,
    "B3": sizes_agree,
    "B4": small_variance_keeps_it,
    "B5": similarity_tells_position,
    "B6": causality_makes_it,
}


def _commands(report: Report | None) -> tuple[str, ...]:
    return () if report is None else (report.provenance.command,)


def _adjacency(report: Report) -> AdjacencyResult:
    assert isinstance(report.result, AdjacencyResult)
    return report.result


def _is_z(score: AdjacencyScore) -> bool:
    whole = score.feature == "cosine" and score.head is None
    return whole and score.site.endswith("attn.hook_z")


def _of(report: Report, site: str, condition: str = "checkpoint") -> AdjacencyScore:
    scores = _adjacency(report).scores
    wanted = (site, condition, "cosine", None)
    return next(s for s in scores if (s.site, s.condition, s.feature, s.head) == wanted)


def _of_init(report: Report | None) -> AdjacencyScore | None:
    return None if report is None else _of(report, FIRST, RANDOM)


def _last(report: Report) -> AdjacencyScore:
    return [score for score in _adjacency(report).scores if _is_z(score)][-1]


def _task(report: Report) -> str:
    return _adjacency(report).task.split()[0]


def _high(says: str, score: AdjacencyScore | None) -> Criterion:
    return _criterion(says, score, least=HIGH)


def _lost(says: str, score: AdjacencyScore | None) -> Criterion:
    return _criterion(says, score, most=HIGH)


def _near_chance(says: str, score: AdjacencyScore | None) -> Criterion:
    return _criterion(says, score, least=CHANCE[0], most=CHANCE[1])


def _criterion(
    says: str,
    score: AdjacencyScore | None,
    *,
    least: float | None = None,
    most: float | None = None,
) -> Criterion:
    """Bound the score pooled over triples, as the paper's code counts."""
    if score is None:
        return Criterion(says=says, value=math.nan, least=least, most=most)
    return Criterion(
        says=says,
        value=score.triples_mean,
        low=score.triples_low,
        high=score.triples_high,
        least=least,
        most=most,
    )


def _better(result: ProbesResult) -> Iterator[Criterion]:
    for condition, says in ((RANDOM, "untrained"), ("checkpoint", "trained")):
        for target in ("token", "to-end"):
            error, r = (
                {f: _mean(result, condition, target, f, metric) for f in ("cosine", "norm")}
                for metric in ("nrmse", "pearson")
            )
            text = f"NRMSE of {target}, {says}: norm minus cosine"
            yield Criterion(says=text, value=error["norm"] - error["cosine"], least=0.005)
            text = f"r of {target}, {says}: cosine minus norm"
            yield Criterion(says=text, value=r["cosine"] - r["norm"], least=0.05)


def _mean(result: ProbesResult, condition: str, target: str, feature: str, metric: str) -> float:
    """Average a metric over the layers."""
    found = [
        item.value
        for score in result.scores
        if (score.condition, score.target, score.feature) == (condition, target, feature)
        for item in score.scores
        if item.metric == metric
    ]
    return sum(found) / len(found) if found else math.nan
