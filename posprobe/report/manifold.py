"""The page section of the `manifold` measure."""

from posprobe.analysis.manifold import Manifold, ManifoldResult
from posprobe.figures.manifold import manifold_figures
from posprobe.figures.manifold_names import group_name, named
from posprobe.figures.words import percent
from posprobe.report.manifold_tables import (
    component_tables,
    facts_table,
    null_table,
    overview,
    spectrum_tables,
    variance_table,
)
from posprobe.report.section import Block, Section, block

COLUMNS = {
    "checkpoint": "the model",
    "label": "what the table is called in the figures",
    "site": "`table` for a learned position table, else the hook name of the states",
    "layer": "layer of the states; empty for a table",
    "quantity": "what `value` is: a headline number (`top2`, `low4_top2`, `low4_all`, "
    "`participation_ratio`, `n_90`, `n_95`, `n_99`, `n_positions`, `n_dimensions`), its standard "
    "deviation over draws (`…_sd`) or excess over the null (`excess_…`), or an entry of "
    "`variance_ratio`, `low4`, `spectrum` or `scores`",
    "null": "the null a number belongs to: `gaussian`, `random walk` or `shuffled`; else empty",
    "component": "principal component, from 0",
    "frequency": "DCT-II bin k, from 0",
    "pos": "position, from 0",
    "value": "the number; empty where it is undefined",
}
"""The columns of `manifold.csv`; the JSON file has the same numbers as nested fields."""


def manifold_section(result: ManifoldResult) -> Section:
    """Describe what a page says of a manifold result.

    Args:
        result: One or several manifolds.
    """
    items = named(result.manifolds)
    return Section(
        measure="manifold",
        title="The shape that positions take",
        headline=_headline(result, items),
        what="Every position has a vector: a row of the learned table, or the mean state at that "
        "position. The measure asks in how few directions these vectors differ (principal "
        "components), and how slowly they change along the sequence (power by DCT-II frequency).",
        reading="Two shares matter: the variance in the first two components, and the power in "
        "frequency bins 1 to 4. Read each beside its nulls, since narrow tables and smooth random "
        "walks score high by themselves. Excess = (value − null) / (1 − null): 0 is no better "
        "than the null, 1 is perfect.",
        source="The components and the spectrum follow “Give it Space!” (arXiv 2605.30022); the "
        "nulls and the excess are ours.",
        limits="A low-dimensional, smooth table makes position easy to use. It does not show "
        "that the model uses it, nor where: for that, read the heads measure or intervene. "
        "Position means of states also carry whatever content tends to stand at a position.",
        overview=overview(items),
        blocks=_blocks(result, items),
        columns=COLUMNS,
    )


def _headline(result: ManifoldResult, items: tuple[Manifold, ...]) -> tuple[str, ...]:
    defined = [item for item in items if item.undefined is None]
    lost = [item for item in items if item.undefined is not None]
    sentences: list[str] = []
    if len(defined) == 1:
        sentences += _alone(defined[0])
    else:
        labels = {item.label for item in result.manifolds}
        owner = f"{labels.pop()}, " if len(labels) == 1 else ""
        sentences += _compared(defined, owner)
    if lost:
        first = f"{lost[0].label} is undefined: {lost[0].undefined}."
        more = f" So are {len(lost) - 1} more." if len(lost) > 1 else ""
        sentences.append(first + more)
    return tuple(sentences[:4])


def _alone(item: Manifold) -> list[str]:
    walk, noise = item.nulls["random walk"], item.nulls["gaussian"]
    return [
        f"The first two components of {item.label} ({item.n_positions} positions × "
        f"{item.n_dimensions} dimensions) hold {percent(item.top2)} of the variance; a random "
        f"walk of that shape holds {percent(walk.top2)}, random numbers {percent(noise.top2)}.",
        f"{percent(item.low4_top2)} of the power of these two lies in DCT-II bins 1 to 4 (random "
        f"walk: {percent(walk.low4_top2)}), and {percent(item.low4_all)} over all components "
        f"(random walk: {percent(walk.low4_all)}).",
        _verdict(item),
    ]


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


def _compared(items: list[Manifold], owner: str) -> list[str]:
    groups: dict[str, list[Manifold]] = {}
    for item in items:
        name = item.label if item.layer is None else group_name(item)
        groups.setdefault(name, []).append(item)
    sentences = [_group_sentence(owner + name, group) for name, group in groups.items()]
    if len(sentences) > 3:
        rest = len(sentences) - 3
        sentences = [*sentences[:3], f"{rest} more are in the tables below."]
    return sentences


def _group_sentence(name: str, items: list[Manifold]) -> str:
    first, last = items[0], items[-1]
    if len(items) > 1:
        return (
            f"{name}: the first two components hold {percent(first.top2)} of the variance in "
            f"layer {first.layer} and {percent(last.top2)} in layer {last.layer}; bins 1 to 4 "
            f"hold {percent(first.low4_top2)} and {percent(last.low4_top2)} of their power."
        )
    walk = first.nulls["random walk"]
    return (
        f"{name}: the first two components hold {percent(first.top2)} of the variance (random "
        f"walk {percent(walk.top2)}), and bins 1 to 4 hold {percent(first.low4_top2)} of their "
        f"power (random walk {percent(walk.low4_top2)})."
    )


def _blocks(result: ManifoldResult, items: tuple[Manifold, ...]) -> tuple[Block, ...]:
    defined = tuple(item for item in items if item.undefined is None)
    figures = manifold_figures(result)
    if not figures:
        return (Block(figure=None, beside=null_table(items)),)
    blocks = []
    for figure in figures:
        match figure.id:
            case "manifold-curve":
                beside = facts_table(defined) if len(defined) <= 2 else None
                tables = component_tables(items)
                blocks.append(Block(figure=figure, beside=beside, tables=tables))
            case "manifold-nulls" | "manifold-layers":
                blocks.append(block(figure, null_table(items)))
            case "manifold-variance":
                blocks.append(block(figure, variance_table(items)))
            case "manifold-spectrum":
                blocks.append(block(figure, *spectrum_tables(items)))
            case _:
                remark = "The numbers are those of the tables under the curve."
                blocks.append(Block(figure=figure, remark=remark))
    return tuple(blocks)
