"""The report of a measure of one checkpoint on one set of tokens."""

from collections.abc import Callable
from typing import Any

from posprobe.core.options import MeasureOptions
from posprobe.core.provenance import CheckpointSource, TokenSource
from posprobe.pipeline.cached import cached
from posprobe.pipeline.record import provenance
from posprobe.report.report import Report


def measured(
    kind: type,
    compute: Callable[[], Any],
    *,
    measure: str,
    ref: str,
    chosen: MeasureOptions,
    source: CheckpointSource,
    tokens: TokenSource,
) -> Report:
    """Report what a measure finds, from the cache or computed; see `cached`.

    Args:
        kind: The type of the result.
        compute: Finds it.
        measure: The measure.
        ref: The checkpoint as the user called it.
        chosen: The options.
        source: The checkpoint.
        tokens: What it runs on.
    """
    result = cached(
        kind, compute, measure=measure, name=ref, chosen=chosen, source=source, tokens=tokens
    )
    return Report(
        measure=measure,
        result=result,
        provenance=provenance(measure, chosen, [source], [tokens]),
    )
