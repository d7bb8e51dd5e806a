"""The claims of arXiv 2605.30022, on encoders."""

import math
from collections.abc import Iterator

import numpy as np

from posprobe.analysis.claims import Claim, Criterion
from posprobe.analysis.heads import HeadsResult
from posprobe.analysis.holmes import HolmesResult
from posprobe.analysis.manifold import Manifold, ManifoldResult
from posprobe.analysis.probes import ProbeScore, ProbesResult
from posprobe.analysis.resampling import bootstrap_mean
from posprobe.pipeline.claims.runs import ClaimRuns
from posprobe.pipeline.opening import short_names
from posprobe.report.report import Report

PAPER = "arXiv 2605.30022"
KEPT = 0.8
"""Share of the best layer's score that the last layer must have for it to be called kept."""


def table_is_flat(runs: ClaimRuns) -> Claim:
    """A1: two components hold almost all of a DSTG position table, few of an entangled one."""
    says = "The position table of a DSTG model lies in two dimensions; that of a model whose "
    says += "positions are added to its tokens does not."
    criteria: tuple[Criterion, ...] = ()
    if runs.tables is not None:
        own, added = _tables(runs.tables)
        walk = own.nulls["random walk"].top2
        criteria = (
            Criterion(says="top-2 share of variance, DSTG", value=own.top2, least=0.9),
            Criterion(says="top-2 share of variance, AP baseline", value=added.top2, most=0.35),
            Criterion(says="DSTG minus AP baseline", value=own.top2 - added.top2, least=0.3),
            Criterion(
                says="DSTG minus a random walk over positions", value=own.top2 - walk, least=0.0
            ),
        )
    return Claim(
        id="A1",
        says=says,
        paper=PAPER,
        number="94.1 % of variance in two components; 23.4 % in the AP baseline",
        criteria=criteria,
        commands=_commands(runs.tables),
        evidence="manifold-curve",
        remark=_losses(runs.tables),
    )


def table_is_smooth(runs: ClaimRuns) -> Claim:
    """A2: the power of a DSTG table lies in the lowest frequencies."""
    criteria: tuple[Criterion, ...] = ()
    if runs.tables is not None:
        own, added = _tables(runs.tables)
        criteria = (
            Criterion(
                says="power in DCT bins 1–4, first two components, DSTG",
                value=own.low4_top2,
                least=0.9,
            ),
            Criterion(
                says="power in bins 1–4, whole table, AP baseline",
                value=added.low4_all,
                most=0.5,
            ),
            Criterion(
                says="whole table, DSTG minus AP baseline",
                value=own.low4_all - added.low4_all,
                least=0.15,
            ),
        )
    return Claim(
        id="A2",
        says="The DSTG table is smooth: almost all its power lies in the first four DCT bins; high "
        "frequencies dominate the AP baseline.",
        paper=PAPER,
        number="“almost all”, no figure",
        criteria=criteria,
        commands=_commands(runs.tables),
        evidence="manifold-spectrum",
        remark=_losses(runs.tables),
    )


def heads_fall_into_groups(runs: ClaimRuns) -> Claim:
    """A3: heads go by position or by meaning, and none by distance."""
    criteria: tuple[Criterion, ...] = ()
    if runs.heads is not None:
        result = _heads(runs.heads)
        counts, total = result.class_counts, sum(result.class_counts.values())
        named = counts.get("structure", 0) + counts.get("semantic", 0)
        criteria = (
            Criterion(says="share of heads in the two groups", value=named / total, least=0.8),
            Criterion(says="structure heads", value=float(counts.get("structure", 0)), least=1),
            Criterion(says="semantic heads", value=float(counts.get("semantic", 0)), least=1),
            Criterion(
                says="heads that go by distance", value=float(counts.get("relative", 0)), most=0
            ),
            Criterion(
                says="separation of the shares (evenly spread: 0.75)",
                value=result.separation,
                least=0.85,
            ),
        )
    return Claim(
        id="A3",
        says="Heads fall almost wholly into a structure group and a semantic group; none is "
        "oriented by relative position.",
        paper=PAPER,
        number="no figure",
        criteria=criteria,
        commands=_commands(runs.heads),
        evidence="heads-map",
    )


def distance_supports_meaning(runs: ClaimRuns) -> Claim:
    """A4: the relative bias keeps semantic heads near."""
    criteria: tuple[Criterion, ...] = ()
    if runs.heads is not None:
        result = _heads(runs.heads)
        semantic = np.array(result.classes) == "semantic"
        nearer = (result.distance_without_rp - result.distance)[semantic]
        gained = (result.near - result.near_without_rp)[semantic]
        criteria = (
            _mean("tokens nearer with the relative bias, semantic heads", nearer, runs, least=0.0),
            _mean("mass within 8 tokens gained, semantic heads", gained, runs, least=0.0),
        )
    return Claim(
        id="A4",
        says="Relative position supports semantic heads locally.",
        paper=PAPER,
        number="no figure",
        criteria=criteria,
        commands=_commands(runs.heads),
        evidence="heads-locality",
    )


def position_is_kept(runs: ClaimRuns) -> Claim:
    """A5: position stays readable to the last layer of DSTG, and not so in the others."""
    criteria: list[Criterion] = []
    if runs.probes is not None:
        for target in ("token", "paragraph"):
            criteria += _kept(runs, _probes(runs.probes), target)
    return Claim(
        id="A5",
        says="The position of a token and of its segment is readable to the last layer of DSTG; "
        "the AP baseline loses it in its last layers, the RoPE and RP baselines hold it weakly.",
        paper=PAPER,
        number="curves, no figure",
        criteria=tuple(criteria),
        commands=_commands(runs.probes),
        evidence="probe-token-linear",
        remark="Segments are paragraphs. Ratios are of R² in the last layer to that in the best.",
    )


def _kept(runs: ClaimRuns, result: ProbesResult, target: str) -> Iterator[Criterion]:
    chosen = runs.chosen
    for ref, name in zip(runs.encoders, short_names(list(runs.encoders)), strict=True):
        layers = _layers(result, name, target, "whole")
        if not layers:
            continue
        last, best = layers[-1].headline, max(layer.headline.value for layer in layers)
        if ref == chosen.dstg:
            says = f"R² of the {target}'s position, last layer of {name}"
            yield Criterion(says=says, value=last.value, low=last.low, high=last.high, least=0.5)
            says = f"{target}: last layer over best, {name}"
            yield Criterion(says=says, value=last.value / best, least=KEPT)
        elif ref == chosen.ap:
            says = f"{target}: last layer over best, {name}"
            yield Criterion(says=says, value=last.value / best, most=KEPT)
        else:
            says = f"R² of the {target}'s position, best layer of {name}"
            yield Criterion(says=says, value=best, most=0.5)


def place_in_segment_is_semantic(runs: ClaimRuns) -> Claim:
    """A6: the place within a segment is readable from content in every model."""
    criteria: list[Criterion] = []
    if runs.probes is not None:
        result = _probes(runs.probes)
        for ref, name in zip(runs.encoders, short_names(list(runs.encoders)), strict=True):
            stream = "sem" if ref == runs.chosen.dstg else "whole"
            layers = _layers(result, name, "within-sentence", stream)
            if layers:
                best = max(layers, key=lambda score: score.headline.value)
                value = min(best.selectivity_shuffled, best.selectivity_identity)
                text = f"R² above its controls, best layer of {name}"
                criteria.append(Criterion(says=text, value=value, least=0.1))
    return Claim(
        id="A6",
        says="The place of a token within its sentence is readable from the semantic subspace of "
        "every model.",
        paper=PAPER,
        number="curves, no figure",
        criteria=tuple(criteria),
        commands=_commands(runs.probes),
        evidence="probe-within-sentence-linear",
        remark="For DSTG the semantic stream is read, for the others the whole state.",
    )


def phenomena_are_better(runs: ClaimRuns) -> Claim:
    """A7: DSTG does better on most phenomena of Flash-Holmes."""
    criteria: tuple[Criterion, ...] = ()
    remark = "Give a folder of data sets by --holmes; none comes with posprobe."
    if runs.phenomena is not None:
        result = runs.phenomena.result
        assert isinstance(result, HolmesResult)
        pair = result.comparisons[0]
        share = pair.better / max(1, pair.better + pair.worse)
        criteria = (
            Criterion(says="share of phenomena on which DSTG is better", value=share, least=0.5),
            Criterion(says="p of a two-sided sign test", value=pair.p_value, most=0.05),
        )
        remark = "On the data sets given, against the rotary baseline."
    return Claim(
        id="A7",
        says="DSTG does better on most linguistic phenomena of Flash-Holmes.",
        paper=PAPER,
        number="49 of 65 phenomena",
        criteria=criteria,
        commands=_commands(runs.phenomena),
        evidence="holmes-phenomena",
        remark=remark,
    )


ENCODER_CLAIMS = {
    "A1": table_is_flat,
    "A2": table_is_smooth,
    "A3": heads_fall_into_groups,
    "A4": distance_supports_meaning,
    "A5": position_is_kept,
    "A6": place_in_segment_is_semantic,
    "A7": phenomena_are_better,
}


def _commands(report: Report | None) -> tuple[str, ...]:
    return () if report is None else (report.provenance.command,)


def _tables(report: Report) -> tuple[Manifold, Manifold]:
    assert isinstance(report.result, ManifoldResult)
    own, added = report.result.manifolds
    return own, added


def _losses(report: Report | None) -> str:
    if report is None:
        return ""
    own, added = _tables(report)
    if own.loss is None or added.loss is None:
        return "The losses of the two models are not known; compare at equal loss only."
    return f"Held-out loss: DSTG {own.loss:.2f}, AP baseline {added.loss:.2f} nats."


def _heads(report: Report) -> HeadsResult:
    assert isinstance(report.result, HeadsResult)
    return report.result


def _probes(report: Report) -> ProbesResult:
    assert isinstance(report.result, ProbesResult)
    return report.result


def _mean(says: str, values: np.ndarray, runs: ClaimRuns, *, least: float) -> Criterion:
    if not values.size:
        return Criterion(says=says, value=math.nan, least=least)
    found = bootstrap_mean(values, seed=runs.chosen.seed)
    return Criterion(says=says, value=found.mean, low=found.low, high=found.high, least=least)


def _layers(result: ProbesResult, name: str, target: str, stream: str) -> list[ProbeScore]:
    """Return the scores of a trained model's layers in order, without the token embedding."""
    found = [
        score
        for score in result.scores
        if (score.checkpoint, score.condition) == (name, "checkpoint")
        and (score.target, score.stream) == (target, stream)
        and score.layer is not None
        and score.layer >= 0
        and score.undefined is None
    ]
    return sorted(found, key=lambda score: score.layer or 0)
