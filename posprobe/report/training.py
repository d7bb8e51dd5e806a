"""The block of a page that says how its checkpoints were trained."""

from typing import Any

import pandas as pd

from posprobe.core.provenance import CheckpointSource, Provenance
from posprobe.figures.training import number_name, training_figure
from posprobe.figures.training_curve import read_curve
from posprobe.report.checkpoints import listed
from posprobe.report.names import brief_names
from posprobe.report.section import Block
from posprobe.report.table import Table


def training_blocks(*provenances: Provenance) -> tuple[Block, ...]:
    """Return the block on training; none where no checkpoint has a curve in its records.

    Kept steps of a training are part of its curve and have no lines of their own.

    Args:
        *provenances: Where the numbers of a page come from.
    """
    everyone = tuple(source for made in provenances for source in made.checkpoints)
    sources = {item.source.ref: item.source for item in listed(everyone)}
    names = brief_names(sources)
    curves = {ref: read_curve(names[ref], source.trained) for ref, source in sources.items()}
    known = [sources[ref] for ref, curve in curves.items() if curve is not None]
    if not known:
        return ()
    table = _table({names[source.ref]: source for source in known})
    figure = training_figure(tuple(curve for curve in curves.values() if curve is not None))
    return (Block(figure=figure, tables=(table,)),)


def _table(sources: dict[str, CheckpointSource]) -> Table:
    tests = {name: _last_test(source.trained) for name, source in sources.items()}
    measured = dict.fromkeys(key for found in tests.values() for key in found)
    rows = [
        {
            "checkpoint": name,
            "recipe": source.trained.get("recipe"),
            "steps": source.trained.get("steps"),
            "tokens": source.trained.get("tokens_seen"),
            **{f"{number_name(key)}, held out": tests[name].get(key) for key in measured},
            "command": source.trained.get("command"),
        }
        for name, source in sources.items()
    ]
    return Table(
        frame=pd.DataFrame(rows, dtype=object),
        caption="How each was trained, with the last numbers on what is held out",
    )


def _last_test(trained: dict[str, Any]) -> dict[str, Any]:
    found = trained.get("evaluation")
    return found if isinstance(found, dict) else {}
