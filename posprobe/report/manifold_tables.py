"""Tables of the `manifold` measure."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from posprobe.analysis.manifold import Manifold
from posprobe.figures.description import Figure
from posprobe.figures.manifold_names import group_name
from posprobe.figures.manifold_nulls import MEASURES
from posprobe.figures.manifold_runs import Run
from posprobe.figures.manifold_selection import (
    component_counts,
    drawn,
    position_stride,
    spectrum_bins,
)
from posprobe.figures.manifold_steps import FOLLOWED
from posprobe.figures.marks import Scatter
from posprobe.report.table import Table

_LEARNED = {"training step": "step", "held-out loss": "loss"}
_FACTS = {
    "positions": "n_positions",
    "dimensions": "n_dimensions",
    MEASURES["top2"]: "top2",
    MEASURES["low4_top2"]: "low4_top2",
    MEASURES["low4_all"]: "low4_all",
    "participation ratio": "participation_ratio",
    "components for 90 %": "n_90",
    "components for 95 %": "n_95",
    "components for 99 %": "n_99",
}
_FOLLOWED = {**MEASURES, **FOLLOWED}


def overview(items: tuple[Manifold, ...]) -> pd.DataFrame:
    """Return one row per manifold with the numbers that matter most.

    Step and held-out loss stand before them where any checkpoint's records say them: what a
    model has learned decides what its table may be compared with.
    """
    known = _known(items, ("step", "loss"))
    return pd.DataFrame([_overview_row(item, known) for item in items])


def facts_table(items: tuple[Manifold, ...]) -> Table:
    """Return the numbers of a few manifolds, a column each."""
    known = _known(items, _LEARNED.values())
    facts = {word: name for word, name in _LEARNED.items() if name in known} | _FACTS
    columns: dict[str, Any] = {"number": list(facts)}
    for item in items:
        columns[item.label] = [getattr(item, name) for name in facts.values()]
    return Table(frame=pd.DataFrame(columns, dtype=object), caption="In numbers")


def null_table(items: tuple[Manifold, ...]) -> Table:
    """Return each number of each manifold beside its nulls."""
    known = _known(items, ("loss",))
    rows = [_null_row(item, name, known) for item in items for name in MEASURES]
    return Table(
        frame=pd.DataFrame(rows),
        caption="Each number beside the mean and standard deviation of its nulls over draws; the "
        "excess is over the random walk",
        heads=2,
        notes=_notes(items),
    )


def step_table(trainings: tuple[Run, ...]) -> Table:
    """Return the numbers of each training at each step that was kept."""
    steps = tuple((run.name, item) for run in trainings for item in run.steps)
    known = _known(tuple(item for _, item in steps), ("step", "loss"))
    rows = [
        {
            "training": name,
            **_learned(item, known),
            **{word: getattr(item, number) for number, word in _FOLLOWED.items()},
        }
        for name, item in steps
    ]
    lost = [item for _, item in steps if item.undefined is not None]
    return Table(
        frame=pd.DataFrame(rows),
        caption="Each training at each step that was kept",
        notes=tuple(f"{item.label}: undefined, since {item.undefined}." for item in lost),
    )


def component_tables(items: tuple[Manifold, ...]) -> tuple[Table, ...]:
    """Return the scores of the positions drawn, a table per manifold."""
    shown = drawn(items)
    stride = position_stride(shown)
    return tuple(
        Table(
            frame=_numbered("position", np.arange(0, item.n_positions, stride), item.scores),
            caption=f"{item.label}: scores on the principal components",
        )
        for item in shown
    )


def forming_tables(figure: Figure) -> tuple[Table, ...]:
    """Return the points of the figure of how a curve forms, a table per step drawn.

    Args:
        figure: That figure.
    """
    return tuple(
        Table(
            frame=pd.DataFrame({"position": _drawn_positions(mark), "PC1": mark.x, "PC2": mark.y}),
            caption=", ".join(panel.title.splitlines()),
        )
        for panel in figure.panels
        for mark in panel.marks
        if isinstance(mark, Scatter)
    )


def _drawn_positions(mark: Scatter) -> list[int]:
    return [int(name.removeprefix("position ")) for name in mark.names]


def variance_table(items: tuple[Manifold, ...]) -> Table:
    """Return the cumulative variance by number of components, a column per manifold."""
    defined = tuple(item for item in items if item.undefined is None)
    counts = component_counts(defined)
    columns: dict[str, Any] = {"components": counts.tolist()}
    for item in defined:
        reach = np.cumsum(item.variance_ratio)
        columns[item.label] = [
            float(reach[count - 1]) if count <= len(reach) else None for count in counts
        ]
    return Table(
        frame=pd.DataFrame(columns, dtype=object),
        caption="Share of the variance in so many components together",
    )


def spectrum_tables(items: tuple[Manifold, ...]) -> tuple[Table, ...]:
    """Return the power of the frequencies drawn, a table per manifold."""
    shown = drawn(items)
    bins = spectrum_bins(shown)
    return tuple(
        Table(
            frame=_numbered("bin k", bins[bins < item.spectrum.shape[1]], item.spectrum[:3].T),
            caption=f"{item.label}: share of each component's power",
        )
        for item in shown
    )


def _numbered(name: str, chosen: np.ndarray, values: np.ndarray) -> pd.DataFrame:
    frame = pd.DataFrame(
        values[chosen], columns=[f"PC{component + 1}" for component in range(values.shape[1])]
    )
    frame.insert(0, name, chosen)
    return frame


def _known(items: tuple[Manifold, ...], names: Iterable[str]) -> list[str]:
    return [name for name in names if any(getattr(item, name) is not None for item in items)]


def _learned(item: Manifold, known: list[str]) -> dict[str, Any]:
    # NA is "not recorded"; NaN would be "undefined".
    values = {name: getattr(item, name) for name in known}
    return {name: pd.NA if value is None else value for name, value in values.items()}


def _overview_row(item: Manifold, known: list[str]) -> dict[str, Any]:
    walk = item.nulls["random walk"]
    return {
        "table": item.label,
        **_learned(item, known),
        "positions": item.n_positions,
        "dimensions": item.n_dimensions,
        "top2": item.top2,
        "walk top2": walk.top2,
        "low4 of top2": item.low4_top2,
        "walk low4 of top2": walk.low4_top2,
        "low4 of all": item.low4_all,
        "participation": item.participation_ratio,
        "n 90 %": item.n_90 or None,
        "n 95 %": item.n_95 or None,
        "n 99 %": item.n_99 or None,
    }


def _null_row(item: Manifold, name: str, known: list[str]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "table": item.label,
        "number": MEASURES[name],
        **_learned(item, known),
        "value": float(getattr(item, name)),
    }
    for null, numbers in item.nulls.items():
        row[null] = float(getattr(numbers, name))
        row[f"sd of {null}"] = float(getattr(numbers, f"{name}_sd"))
    row["excess"] = float(getattr(item.nulls["random walk"], f"excess_{name}"))
    return row


def _notes(items: tuple[Manifold, ...]) -> tuple[str, ...]:
    notes = []
    for item in items:
        shared = group_name(item) if item.layer is not None else item.label
        if item.undefined is not None:
            notes.append(f"{item.label}: undefined, since {item.undefined}.")
        if item.note is not None:
            notes.append(f"{shared}: {item.note.rstrip('.')}.")
    # The layers of one stream often share a note.
    return tuple(dict.fromkeys(notes))
