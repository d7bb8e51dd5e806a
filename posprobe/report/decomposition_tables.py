"""Tables of the `decomposition` measure."""

from typing import Any

import numpy as np
import pandas as pd

from posprobe.analysis.decomposition import (
    AGREEMENT_PARTS,
    LOGIT_PARTS,
    STATE_PARTS,
    DecompositionResult,
    LogitParts,
)
from posprobe.figures.decomposition import by_stream, curve_layers
from posprobe.figures.finite import finite_mean
from posprobe.figures.sites import layer_name
from posprobe.report.table import Table


def overview(result: DecompositionResult) -> pd.DataFrame:
    """Return one row per layer: the position part of each stream, and the means of the heads."""
    rows: dict[int | None, dict[str, Any]] = {}
    streams = by_stream(result)
    for stream, layers in streams.items():
        name = "position" if stream == "whole" else f"position {stream}"
        for parts in layers:
            row = rows.setdefault(parts.layer, {"layer": layer_name(parts.layer)})
            row[name] = float(parts.share[0])
            if stream == "whole":
                row |= {"content": float(parts.share[1]), "rank": parts.rank, "low4": parts.low4}
    if result.logits is not None:
        for layer, shares in enumerate(result.logits.share):
            means = (finite_mean(share) for share in shares.T)
            own = zip(LOGIT_PARTS, means, strict=True)
            rows.setdefault(layer, {"layer": str(layer)}).update(
                (f"{part} logits", mean) for part, mean in own
            )
    return pd.DataFrame(list(rows.values())).astype(object).where(lambda f: f.notna(), pd.NA)


def state_table(result: DecompositionResult) -> Table:
    """Return the shares of every site with standard errors, and the shape of the position part."""
    rows, notes = [], []
    random = {} if result.init is None else {parts.site: parts for parts in result.init.states}
    for parts in (parts for layers in by_stream(result).values() for parts in layers):
        row: dict[str, Any] = {"stream": parts.stream, "layer": layer_name(parts.layer)}
        for index, name in enumerate(STATE_PARTS):
            row |= {name: float(parts.share[index]), f"{name} s.e.": float(parts.share_se[index])}
        row |= {"rank": parts.rank, "low4": parts.low4, "low4 s.e.": parts.low4_se}
        row |= {"farthest position": parts.peak, "its power": parts.peak_share}
        if random:
            row["position, random init"] = float(random[parts.site].share[0])
        row["variance"] = parts.variance
        rows.append(row)
        if parts.undefined:
            notes.append(f"{parts.site}: undefined, since {parts.undefined}.")
    return Table(
        frame=pd.DataFrame(rows),
        caption="Shares of the variance with standard errors; rank, smoothness and farthest "
        "position of the position part; and the variance that is shared",
        heads=2,
        notes=tuple(notes),
    )


def head_table(logits: LogitParts) -> Table:
    """Return the shares of every head with their standard errors."""
    rows = []
    for layer, head in np.ndindex(*logits.variance.shape):
        row: dict[str, Any] = {"layer": layer, "head": head, "class": logits.classes[layer][head]}
        for index, part in enumerate(LOGIT_PARTS):
            row[part] = float(logits.share[layer, head, index])
            row[f"{part} s.e."] = float(logits.share_se[layer, head, index])
        row["variance"] = float(logits.variance[layer, head])
        rows.append(row)
    return Table(
        frame=pd.DataFrame(rows),
        caption="Shares of each head with standard errors, and the variance of the logits",
        heads=2,
    )


def curve_tables(logits: LogitParts) -> tuple[Table, ...]:
    """Return the curves, a table per layer drawn."""
    return tuple(
        Table(
            frame=pd.DataFrame(
                {
                    "offset": logits.offsets,
                    **{f"head {head}": curve for head, curve in enumerate(logits.curve[layer])},
                }
            ),
            caption=f"Layer {layer}: relative part by offset",
        )
        for layer in curve_layers(logits)
    )


def agreement_table(logits: LogitParts) -> Table:
    """Return, by layer, how well the parts agree with the model's own terms."""
    rows = []
    for layer, heads in enumerate(logits.agreement):
        row: dict[str, Any] = {"layer": layer}
        for part, values in zip(AGREEMENT_PARTS, heads.T, strict=True):
            row[part] = finite_mean(values)
            row[f"{part}, lowest"] = float(np.min(values)) if np.isfinite(values).all() else pd.NA
        rows.append(row)
    return Table(
        frame=pd.DataFrame(rows),
        caption="Correlation of each part with the model's own terms: mean and lowest of the "
        "heads. Position, absolute and relative: with ap + rp, split in the same way; content: "
        "with sem",
    )
