"""What a page says first of a Holmes result."""

import math

from posprobe.analysis.holmes import Comparison, FieldScore, HolmesResult
from posprobe.figures.holmes import ALL
from posprobe.figures.holmes_points import Examined, examined
from posprobe.figures.words import decimal
from posprobe.report.holmes_tables import p_words

_PAIRS = 3
_NAMED = 4


def headline(result: HolmesResult) -> tuple[str, ...]:
    """Return two to four sentences with the numbers that matter, of the first place.

    Args:
        result: Scores by checkpoint, place, field and phenomenon.
    """
    models = [model for model in examined(result) if not model.control]
    whole = {model: found for model in models if (found := field_of(result, model, ALL))}
    scored = {model: found for model, found in whole.items() if not math.isnan(found.score)}
    if not scored:
        return ("No data set has a score.", _data(result))
    sentences = [_means(result, scored), *_comparisons(result), *_fields(result, scored)]
    return (*sentences[:3], _data(result))


def field_of(result: HolmesResult, model: Examined, field: str) -> FieldScore | None:
    """Return the mean of a field, or of all, at the first place.

    Args:
        result: Scores by checkpoint, place and field.
        model: Whose.
        field: A field, or `all`.
    """
    wanted = (model.checkpoint, model.condition, result.places[0], field)
    return next(
        (i for i in result.fields if (i.checkpoint, i.condition, i.place, i.field) == wanted), None
    )


def _means(result: HolmesResult, scored: dict[Examined, FieldScore]) -> str:
    first, *_ = scored.values()
    random = {m.checkpoint: field_of(result, m, ALL) for m in examined(result) if m.control}
    words = []
    for model, found in list(scored.items())[:_NAMED]:
        beside = [f"with shuffled labels {decimal(found.shuffled)}"]
        if control := random.get(model.checkpoint):
            beside.insert(0, f"with random weights {decimal(control.score)}")
        words.append(f"{model.name} {decimal(found.score)} ({', '.join(beside)})")
    plural = "phenomenon" if first.phenomena == 1 else "phenomena"
    return (
        f"Mean score over {first.phenomena} {plural} ({result.places[0]}): {', '.join(words)}"
        f"{_rest(len(scored), _NAMED)}."
    )


def _rest(count: int, named: int) -> str:
    return f"; {count - named} more are in the tables" if count > named else ""


def _comparisons(result: HolmesResult) -> list[str]:
    names = {model.name for model in examined(result) if not model.control}
    pairs = [
        item
        for item in result.comparisons
        if item.place == result.places[0] and {item.first, item.second} <= names
    ]
    if not pairs:
        return []
    words = "; ".join(_pair(item) for item in pairs[:_PAIRS])
    return [f"{words}{_rest(len(pairs), _PAIRS)}."]


def _pair(item: Comparison) -> str:
    test = f"sign test {_p(item.p_value)}" if item.undefined is None else item.undefined
    return (
        f"{item.first} scores higher than {item.second} on {item.better} of {item.phenomena} "
        f"phenomena, lower on {item.worse} ({test})"
    )


def _p(value: float) -> str:
    # The sign stays with its number at the end of a line.
    words = p_words(value)
    return f"p {words if words.startswith('<') else f'= {words}'}".replace(" ", "\xa0")


def _fields(result: HolmesResult, scored: dict[Examined, FieldScore]) -> list[str]:
    """Say where the best model is best and weakest."""
    best = max(scored, key=lambda model: scored[model].score)
    own = [
        item
        for item in result.fields
        if (item.checkpoint, item.condition) == (best.checkpoint, best.condition)
        and item.place == result.places[0]
        and item.field != ALL
        and not math.isnan(item.score)
    ]
    if len(own) < 2:
        return []
    low, high = min(own, key=lambda i: i.score), max(own, key=lambda i: i.score)
    return [
        f"By field, {best.name} is highest in {high.field} ({decimal(high.score)}) and lowest in "
        f"{low.field} ({decimal(low.score)})."
    ]


def _data(result: HolmesResult) -> str:
    datasets = len({item.dataset for item in result.scores})
    lost = len({item.dataset for item in result.scores if item.undefined is not None})
    without = f", of which {lost} could not be scored everywhere" if lost else ""
    plural = "" if datasets == 1 else "s"
    return f"The probes were trained on {datasets} data set{plural} from {result.data}{without}."
