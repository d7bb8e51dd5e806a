"""What a page says first of a manifold result."""

from posprobe.analysis.manifold import Manifold, ManifoldResult
from posprobe.figures.manifold_names import group_name
from posprobe.figures.manifold_runs import latest, runs
from posprobe.figures.words import decimal, percent

_SENTENCES = 4
_EQUAL = 0.1


def headline(result: ManifoldResult, items: tuple[Manifold, ...]) -> tuple[str, ...]:
    """Return two to four sentences with the numbers that matter.

    Args:
        result: One or several manifolds.
        items: The same, as `named` returned them.
    """
    ends = latest(items)
    defined = [item for item in ends if item.undefined is None]
    first = {run.steps[-1].label: run.steps[0] for run in runs(items)}
    last = [*_lost(ends), *_unequal(defined, compare=bool(first))]
    room = _SENTENCES - len(last)
    if len(defined) == 1:
        sentences = _alone(defined[0], first.get(defined[0].label))
    else:
        labels = {item.label for item in result.manifolds}
        owner = f"{labels.pop()}, " if len(labels) == 1 else ""
        sentences = _compared(defined, first, owner=owner, room=room)
    return (*sentences[:room], *last)


def _lost(ends: tuple[Manifold, ...]) -> list[str]:
    lost = [item for item in ends if item.undefined is not None]
    if not lost:
        return []
    more = f" So are {len(lost) - 1} more." if len(lost) > 1 else ""
    return [f"{lost[0].label} is undefined: {lost[0].undefined}.{more}"]


def _unequal(defined: list[Manifold], *, compare: bool) -> list[str]:
    """Warn of comparing models that have learned different amounts."""
    losses = {item.checkpoint: item.loss for item in defined if item.loss is not None}
    ranked = sorted(losses, key=lambda checkpoint: losses[checkpoint])
    if not ranked or losses[ranked[-1]] - losses[ranked[0]] <= _EQUAL:
        return []
    low, high = (f"{decimal(losses[name])} ({name})" for name in (ranked[0], ranked[-1]))
    advice = "; their earlier steps can be, at equal loss." if compare else "."
    return [
        f"The held-out losses differ, from {low} to {high}; tables of models that have learned "
        f"different amounts must not be compared{advice}"
    ]


def _alone(item: Manifold, first: Manifold | None) -> list[str]:
    walk, noise = item.nulls["random walk"], item.nulls["gaussian"]
    sentences = [
        f"The first two components of {item.label} ({item.n_positions} positions × "
        f"{item.n_dimensions} dimensions) hold {percent(item.top2)} of the variance; a random "
        f"walk of that shape holds {percent(walk.top2)}, random numbers {percent(noise.top2)}.",
        f"{percent(item.low4_top2)} of the power of these two lies in DCT-II bins 1 to 4 (random "
        f"walk: {percent(walk.low4_top2)}), and {percent(item.low4_all)} over all components "
        f"(random walk: {percent(walk.low4_all)}).",
        _verdict(item),
    ]
    if first is not None:
        sentences.append(
            f"At step {first.step:,} of its training these were {percent(first.top2)} of the "
            f"variance, and {percent(first.low4_top2)} and {percent(first.low4_all)} of the power."
        )
    return sentences


def _verdict(item: Manifold) -> str:
    walk = item.nulls["random walk"]
    narrow = item.top2 > walk.top2 + 2 * walk.top2_sd
    smooth = item.low4_top2 > walk.low4_top2 + 2 * walk.low4_top2_sd
    if narrow and smooth:
        return "Both are more than two standard deviations above the random walk."
    if not narrow and not smooth:
        return "Neither is more than two standard deviations above the random walk."
    better, worse = ("variance", "smoothness") if narrow else ("smoothness", "variance")
    return (
        f"The {better} is more than two standard deviations above the random walk, the {worse} "
        "is not."
    )


def _compared(
    items: list[Manifold], first: dict[str, Manifold], *, owner: str, room: int
) -> list[str]:
    groups: dict[str, list[Manifold]] = {}
    for item in items:
        name = item.label if item.layer is None else group_name(item)
        groups.setdefault(name, []).append(item)
    sentences = [
        _group_sentence(owner + name, group, first.get(group[0].label))
        for name, group in groups.items()
    ]
    if len(sentences) > room:
        rest = len(sentences) - room + 1
        sentences = [*sentences[: room - 1], f"{rest} more are in the tables below."]
    return sentences


def _group_sentence(name: str, items: list[Manifold], first: Manifold | None) -> str:
    begin, end = items[0], items[-1]
    if len(items) > 1:
        return (
            f"{name}: the first two components hold {percent(begin.top2)} of the variance in "
            f"layer {begin.layer} and {percent(end.top2)} in layer {end.layer}; bins 1 to 4 "
            f"hold {percent(begin.low4_top2)} and {percent(end.low4_top2)} of their power."
        )
    walk = begin.nulls["random walk"]
    before = ("", "")
    if first is not None:
        step = f"at step {first.step:,}"
        before = f"; {percent(first.top2)} {step}", f"; {percent(first.low4_top2)} {step}"
    return (
        f"{name}: the first two components hold {percent(begin.top2)} of the variance (random "
        f"walk {percent(walk.top2)}{before[0]}), and bins 1 to 4 hold {percent(begin.low4_top2)} "
        f"of their power (random walk {percent(walk.low4_top2)}{before[1]})."
    )
