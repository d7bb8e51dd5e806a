"""Tables of the `heads` measure."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from posprobe.analysis.heads import HeadsResult
from posprobe.figures.finite import finite_mean
from posprobe.figures.heads import TERMS
from posprobe.figures.heads_bias import bias_layers, bias_offsets
from posprobe.figures.theme import CLASSES
from posprobe.report.table import Table


def layer_overview(result: HeadsResult) -> pd.DataFrame:
    """Return one row per layer: heads per class, and mean share and effect of each term."""
    rows = []
    for layer, classes in enumerate(result.classes):
        row: dict[str, Any] = {"layer": layer}
        row |= {name: classes.count(name) for name in _present(result)}
        for index, term in enumerate(result.terms):
            row[f"{term} share"] = finite_mean(result.share[layer, :, index])
        for index, term in enumerate(result.terms):
            row[f"{term} effect"] = finite_mean(result.divergence[layer, :, index])
        rows.append(row)
    return pd.DataFrame(rows)


def class_table(heads: dict[str, int], random: dict[str, int] | None) -> Table:
    """Return the heads per class, beside those at random initialisation if they are known."""
    columns: dict[str, Any] = {
        "class": list(CLASSES),
        "heads": [heads.get(name, 0) for name in CLASSES],
    }
    if random is not None:
        columns["random init"] = [random.get(name, 0) for name in CLASSES]
    return Table(frame=pd.DataFrame(columns), caption="Heads per class")


def share_table(result: HeadsResult) -> Table:
    """Return the shares of every head with their standard errors."""
    rows = []
    for row, (layer, head) in _heads(result):
        row["class"] = result.classes[layer][head]
        for index, term in enumerate(result.terms):
            row[f"{term} share"] = float(result.share[layer, head, index])
            row[f"{term} s.e."] = float(result.share_se[layer, head, index])
            row[f"{term} fraction"] = float(result.fraction[layer, head, index])
        row["variance"] = float(result.variance[layer, head])
        rows.append(row)
    notes = tuple(f"{name}: undefined, since {why}." for name, why in result.undefined.items())
    return Table(
        frame=pd.DataFrame(rows),
        caption="Shares of each head with standard errors, fractions of the summed variances, and "
        "the variance of the logits",
        heads=2,
        notes=notes,
    )


def histogram_table(result: HeadsResult) -> Table:
    """Return the bins of the histogram."""
    assert result.hist_edges is not None
    assert result.hist_counts is not None
    columns: dict[str, Any] = {
        "from": result.hist_edges[:-1],
        "to": result.hist_edges[1:],
        "heads": result.hist_counts,
    }
    if result.init is not None and result.init.hist_counts is not None:
        columns["random init"] = result.init.hist_counts
    return Table(frame=pd.DataFrame(columns), caption="Heads by absolute-position share", heads=2)


def cut_table(result: HeadsResult) -> Table:
    """Return the best cut and the separation, beside those at random initialisation."""
    columns: dict[str, Any] = {
        "number": ["best cut", "separation"],
        "checkpoint": [result.cut, result.separation],
    }
    if result.init is not None:
        columns["random init"] = [result.init.cut, result.init.separation]
    return Table(frame=pd.DataFrame(columns), caption="Otsu's cut and the variance it explains")


def effect_layer_table(result: HeadsResult) -> Table:
    """Return the mean divergence of each term by layer."""
    columns: dict[str, Any] = {"layer": list(range(len(result.share)))}
    for index, term in enumerate(result.terms):
        columns[TERMS.get(term, term)] = [
            finite_mean(row) for row in result.divergence[:, :, index]
        ]
    return Table(frame=pd.DataFrame(columns), caption="Mean divergence by layer (bits)")


def effect_head_table(result: HeadsResult) -> Table:
    """Return the divergence of each term for every head."""
    rows = []
    for row, (layer, head) in _heads(result):
        for index, term in enumerate(result.terms):
            row[TERMS.get(term, term)] = float(result.divergence[layer, head, index])
        rows.append(row)
    return Table(frame=pd.DataFrame(rows), caption="Divergence by head (bits)", heads=2)


def bias_tables(result: HeadsResult) -> tuple[Table, ...]:
    """Return the bias at the offsets drawn, a table per layer drawn."""
    chosen = bias_offsets(result)
    layers = bias_layers(result)
    tables = []
    for layer in layers:
        curves = result.bias_curve[layer][:, chosen]
        columns: dict[str, Any] = {"offset": result.offsets[chosen]}
        columns |= {f"head {head}": curve for head, curve in enumerate(curves)}
        where = "Every layer" if len(layers) < len(result.share) else f"Layer {layer}"
        tables.append(Table(frame=pd.DataFrame(columns), caption=f"{where}: bias by offset"))
    return tuple(tables)


def locality_table(result: HeadsResult) -> Table:
    """Return distance and near mass of every head, with and without the relative term."""
    rows = []
    for row, (layer, head) in _heads(result):
        row["class"] = result.classes[layer][head]
        for name, values in _reaches(result).items():
            row[name] = float(values[layer, head])
        rows.append(row)
    return Table(frame=pd.DataFrame(rows), caption="Reach of each head", heads=2)


def locality_class_table(result: HeadsResult) -> Table:
    """Return the means of distance and near mass by class."""
    classes = np.array(result.classes)
    rows = []
    for name in _present(result):
        own = {
            key: finite_mean(values[classes == name]) for key, values in _reaches(result).items()
        }
        rows.append({"class": name, **own})
    return Table(frame=pd.DataFrame(rows), caption="Mean reach by class")


def _reaches(result: HeadsResult) -> dict[str, np.ndarray]:
    return {
        "distance without": result.distance_without_rp,
        "distance": result.distance,
        "near without": result.near_without_rp,
        "near": result.near,
    }


def _heads(result: HeadsResult) -> Iterator[tuple[dict[str, Any], tuple[int, int]]]:
    for layer, head in np.ndindex(*result.variance.shape):
        yield {"layer": layer, "head": head}, (layer, head)


def _present(result: HeadsResult) -> list[str]:
    return [name for name in CLASSES if result.class_counts.get(name)]
