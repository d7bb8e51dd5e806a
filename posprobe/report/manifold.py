"""The page section of the `manifold` measure."""

from typing import Any

from posprobe.analysis.manifold import Manifold, ManifoldResult
from posprobe.figures.manifold import manifold_figures
from posprobe.figures.manifold_names import named
from posprobe.figures.manifold_nulls import MEASURES
from posprobe.figures.manifold_runs import latest, runs
from posprobe.figures.sites import place
from posprobe.report.manifold_headline import headline
from posprobe.report.manifold_tables import (
    component_tables,
    facts_table,
    forming_tables,
    null_table,
    overview,
    spectrum_tables,
    step_table,
    variance_table,
)
from posprobe.report.section import Block, Section, block

COLUMNS = {
    "checkpoint": "the model",
    "label": "what the table is called in the figures",
    "site": "`table` for a learned position table, else the hook name of the states",
    "layer": "layer of the states; empty for a table",
    "step": "training step, where the checkpoint's records say it",
    "quantity": "what `value` is: a headline number (`top2`, `low4_top2`, `low4_all`, "
    "`participation_ratio`, `n_90`, `n_95`, `n_99`, `n_positions`, `n_dimensions`, `loss` on "
    "held-out documents in nats where the records say it), its standard "
    "deviation over draws (`…_sd`) or excess over the null (`excess_…`), or an entry of "
    "`variance_ratio`, `low4`, `spectrum` or `scores`",
    "null": "the null a number belongs to: `gaussian`, `random walk` or `shuffled`; else empty",
    "component": "principal component, from 0",
    "frequency": "DCT-II bin k, from 0",
    "pos": "position, from 0",
    "value": "the number; empty where it is undefined",
}
"""The columns of `manifold.csv`; the JSON file has the same numbers as nested fields."""

_REMARKS = {
    "manifold-components": "The numbers are those of the tables under the curve.",
    "manifold-loss": "The numbers are those of the table by training step.",
}


def manifold_section(result: ManifoldResult) -> Section:
    """Describe what a page says of a manifold result.

    Args:
        result: One or several manifolds.
    """
    items = named(result.manifolds)
    return Section(
        measure="manifold",
        title="The shape that positions take",
        headline=headline(result, items),
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
        glance=_glance(latest(items)),
    )


def _glance(items: tuple[Manifold, ...]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for item in items:
        # Layers of states overwrite each other: the last one stays.
        where = "position table" if item.layer is None else f"{place(item.site)}, last layer"
        found.setdefault(item.checkpoint, {}).update(
            {
                f"{where}: {MEASURES['top2']}": item.top2,
                f"{where}: the same of a random walk": item.nulls["random walk"].top2,
                f"{where}: {MEASURES['low4_top2']}": item.low4_top2,
            }
        )
    return found


def _blocks(result: ManifoldResult, items: tuple[Manifold, ...]) -> tuple[Block, ...]:
    ends = latest(items)
    defined = tuple(item for item in ends if item.undefined is None)
    blocks = [] if defined else [Block(figure=None, beside=null_table(ends))]
    for figure in manifold_figures(result):
        match figure.id:
            case "manifold-curve":
                beside = facts_table(defined) if len(defined) <= 2 else None
                tables = component_tables(ends)
                blocks.append(Block(figure=figure, beside=beside, tables=tables))
            case "manifold-steps":
                blocks.append(block(figure, step_table(runs(items))))
            case "manifold-forming":
                blocks.append(Block(figure=figure, tables=forming_tables(figure)))
            case "manifold-nulls" | "manifold-layers":
                blocks.append(block(figure, null_table(ends)))
            case "manifold-variance":
                blocks.append(block(figure, variance_table(ends)))
            case "manifold-spectrum":
                blocks.append(block(figure, *spectrum_tables(ends)))
            case name:
                blocks.append(Block(figure=figure, remark=_REMARKS[name]))
    return tuple(blocks)
