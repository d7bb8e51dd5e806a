"""Which numbers of each measure are compared, and over what their intervals are."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from posprobe.analysis.adjacency import AdjacencyResult, AdjacencyScore
from posprobe.analysis.comparison import Difference
from posprobe.analysis.decomposition import (
    LOGIT_PARTS,
    STATE_PARTS,
    DecompositionResult,
    StateParts,
)
from posprobe.analysis.differences import NORMAL
from posprobe.analysis.heads import HeadsResult
from posprobe.analysis.holmes import HolmesResult, PhenomenonScore
from posprobe.analysis.manifold import Manifold, ManifoldResult
from posprobe.analysis.probes import ProbeScore, ProbesResult, Score
from posprobe.core.errors import UserError
from posprobe.figures.heads import TERMS
from posprobe.figures.manifold_nulls import MEASURES
from posprobe.figures.probes_words import place_words, quantity_words
from posprobe.figures.sites import place
from posprobe.pipeline.comparing.sides import (
    Sides,
    by_errors,
    by_groups,
    by_intervals,
    without_interval,
)
from posprobe.report.report import Report


def compare_adjacency(sides: Sides) -> Iterator[Difference]:
    """Compare adjacency scores site by site, over the sequences.

    Raises:
        UserError: If the two are averaged or count ties in different ways.
    """
    a, b = sides.a.result, sides.b.result
    assert isinstance(a, AdjacencyResult)
    assert isinstance(b, AdjacencyResult)
    if (a.average, a.ties) != (b.average, b.ties):
        raise UserError("compare: the two adjacency results differ in --average or --ties")
    units = "documents" if sides.a.provenance.options.get("corpus") else "prompts"
    for key, (one, other) in _both(a.scores, b.scores, _score_key):
        condition, site, layer, head, feature = key
        yield sides.sampled(
            getattr(one, a.average),
            getattr(other, a.average),
            units=units,
            measure="adjacency",
            quantity=f"adjacency score, {feature}",
            condition=condition,
            place=site,
            layer=layer,
            head=head,
        )


def compare_heads(sides: Sides) -> Iterator[Difference]:
    """Compare what heads attend by: means over heads, and each head where both have it.

    Two models' heads have no partners unless one model grew from the other, so means are
    drawn again over the heads of each. Single heads are compared by their standard errors.
    """
    a, b = sides.a.result, sides.b.result
    assert isinstance(a, HeadsResult)
    assert isinstance(b, HeadsResult)
    shared = {"measure": "heads", "condition": "checkpoint", "layer": None, "head": None}
    numbers = {"share of the logits": "share", "divergence without it (bits)": "divergence"}
    for term in (term for term in a.terms if term in b.terms):
        for quantity, field in numbers.items():
            values = [_of_term(side, field, term).reshape(-1) for side in (a, b)]
            where = shared | {"quantity": quantity, "place": TERMS.get(term, term)}
            yield sides.drawn_apart(*values, units="heads", **where)
    for name in dict.fromkeys((*a.class_counts, *b.class_counts)):
        values = [(np.array(side.classes) == name).astype(float).reshape(-1) for side in (a, b)]
        where = shared | {"quantity": "fraction of the heads", "place": name}
        if values[0].any() or values[1].any():
            yield sides.drawn_apart(*values, units="heads", **where)
    if a.share.shape == b.share.shape and a.terms == b.terms:
        yield from _single_heads(a, b)


def _single_heads(a: HeadsResult, b: HeadsResult) -> Iterator[Difference]:
    for term in a.terms:
        shares, errors = ([_of_term(s, f, term) for s in (a, b)] for f in ("share", "share_se"))
        for layer, head in np.ndindex(*shares[0].shape):
            yield by_errors(
                *(float(share[layer, head]) for share in shares),
                se_a=float(errors[0][layer, head]),
                se_b=float(errors[1][layer, head]),
                units="documents",
                n=min(a.documents, b.documents),
                measure="heads",
                quantity="share of the logits, by head",
                condition="checkpoint",
                place=TERMS.get(term, term),
                layer=layer,
                head=head,
            )


def compare_manifold(sides: Sides) -> Iterator[Difference]:
    """Compare the shapes of tables or of states; nothing is sampled, so nothing varies."""
    a, b = sides.a.result, sides.b.result
    assert isinstance(a, ManifoldResult)
    assert isinstance(b, ManifoldResult)
    for (site, layer), (one, other) in _both(a.manifolds, b.manifolds, _manifold_key):
        for name, quantity in {**MEASURES, "participation_ratio": "participation ratio"}.items():
            yield without_interval(
                float(getattr(one, name)),
                float(getattr(other, name)),
                why="one table each, nothing is sampled",
                measure="manifold",
                quantity=quantity,
                condition="checkpoint",
                place=site,
                layer=layer,
                head=None,
            )


def compare_probes(sides: Sides) -> Iterator[Difference]:
    """Compare the headline score of each probe, paired where the documents are the same."""
    a, b = sides.a.result, sides.b.result
    assert isinstance(a, ProbesResult)
    assert isinstance(b, ProbesResult)
    paired = sides.paired and _examined(sides.a) == _examined(sides.b)
    for _, (one, other) in _both(a.scores, b.scores, _probe_key):
        yield (by_groups if paired else by_intervals)(
            one.headline,
            other.headline,
            units="documents",
            n=min(a.test_documents, b.test_documents),
            measure="probe",
            quantity=quantity_words(one),
            condition=one.condition,
            place=place_words(one),
            layer=one.layer,
            head=None,
        )


def compare_decomposition(sides: Sides) -> Iterator[Difference]:
    """Compare the parts of the states, paired over documents, and of the logits, over heads."""
    a, b = sides.a.result, sides.b.result
    assert isinstance(a, DecompositionResult)
    assert isinstance(b, DecompositionResult)
    for (stream, layer), (one, other) in _both(a.states, b.states, _parts_key):
        for index, name in enumerate(STATE_PARTS):
            yield (by_groups if sides.paired else by_intervals)(
                _share(one, index),
                _share(other, index),
                units="documents",
                n=min(a.documents, b.documents),
                measure="decomposition",
                quantity=f"share of the states, {name}",
                condition="checkpoint",
                place=stream,
                layer=layer,
                head=None,
            )
    if a.logits is None or b.logits is None:
        return
    for index, part in enumerate(LOGIT_PARTS):
        yield sides.drawn_apart(
            *(side.share[..., index].reshape(-1) for side in (a.logits, b.logits)),
            units="heads",
            measure="decomposition",
            quantity="share of the logits",
            condition="checkpoint",
            place=part,
            layer=None,
            head=None,
        )


def compare_holmes(sides: Sides) -> Iterator[Difference]:
    """Compare mean scores by field, over the phenomena that both have a score for.

    The texts are the same whatever the vocabulary, so a phenomenon has a partner by its name.
    """
    a, b = sides.a.result, sides.b.result
    assert isinstance(a, HolmesResult)
    assert isinstance(b, HolmesResult)
    found: dict[tuple[Any, ...], list[tuple[float, float]]] = {}
    for key, (one, other) in _both(a.phenomena, b.phenomena, _phenomenon_key):
        condition, place_of, field, _ = key
        for name in (field, "all fields"):
            found.setdefault((condition, place_of, name), []).append((one.score, other.score))
    for (condition, place_of, field), pairs in found.items():
        yield sides.drawn_together(
            *np.array(pairs).T,
            units="phenomena",
            measure="holmes",
            quantity=f"mean score, {field}",
            condition=condition,
            place=place_of,
            layer=None,
            head=None,
        )


COMPARED: dict[str, Callable[[Sides], Iterator[Difference]]] = {
    "manifold": compare_manifold,
    "heads": compare_heads,
    "adjacency": compare_adjacency,
    "probe": compare_probes,
    "decomposition": compare_decomposition,
    "holmes": compare_holmes,
}
"""How each measure is compared; one that is not here is not."""


def _both(a: Any, b: Any, key: Callable[[Any], tuple[Any, ...]]) -> Iterator[tuple[Any, Any]]:
    # Of a training at several steps the last one stays: it comes last.
    ones, others = ({key(item): item for item in side} for side in (a, b))
    for place_of, item in ones.items():
        if place_of in others:
            yield place_of, (item, others[place_of])


def _score_key(score: AdjacencyScore) -> tuple[Any, ...]:
    return score.condition, place(score.site), score.layer, score.head, score.feature


def _manifold_key(item: Manifold) -> tuple[Any, ...]:
    return place(item.site), item.layer


def _parts_key(parts: StateParts) -> tuple[Any, ...]:
    return parts.stream, parts.layer


def _probe_key(score: ProbeScore) -> tuple[Any, ...]:
    where = (score.condition, place(score.site), score.layer, score.stream)
    return (*where, score.feature, score.target, score.probe)


def _phenomenon_key(score: PhenomenonScore) -> tuple[Any, ...]:
    return score.condition, place(score.place), score.field, score.phenomenon


def _examined(report: Report) -> tuple[Any, ...]:
    """Return what decides, besides the texts, which documents a probe is examined on."""
    assert isinstance(report.result, ProbesResult)
    found = report.result
    return found.train_documents, found.test_documents, report.provenance.options.get("seed")


def _share(parts: StateParts, index: int) -> Score:
    """Return a share of the states as any score, with the interval of its standard error."""
    value, error = float(parts.share[index]), NORMAL * float(parts.share_se[index])
    without = tuple(parts.without[:, index].tolist())
    return Score(
        metric="share",
        value=value,
        low=value - error,
        high=value + error,
        by_seed=(value,),
        without=without,
    )


def _of_term(result: HeadsResult, field: str, term: str) -> np.ndarray:
    return getattr(result, field)[:, :, result.terms.index(term)]
