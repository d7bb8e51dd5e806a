"""What `report` and `compare` let a user choose; light to import, as the command line reads it."""

from dataclasses import dataclass
from typing import Annotated, Literal

from posprobe.core.errors import UserError
from posprobe.core.options import MeasureOptions
from posprobe.pipeline.options import Corpus

MEASURES = ("manifold", "heads", "adjacency", "probe", "decomposition", "holmes")
"""The measures that a page can have, in reading order."""
NEEDS_DATA = "holmes"
"""The one that is left out unless its data sets are named."""


@dataclass(frozen=True, kw_only=True)
class ReportOptions(MeasureOptions):
    """Options of `report`: those that several measures share, in place of each one's own."""

    measures: Annotated[
        str | None,
        f"Which measures, joined by commas, of {', '.join(MEASURES)}. Default: all that apply, "
        "`holmes` only with --data.",
    ] = None
    data: Annotated[
        str | None, "Folder of the data sets for `holmes`, in the form of Flash-Holmes."
    ] = None
    corpus: Corpus = None
    documents: Annotated[
        int | None, "How many documents to use, at most. Default: as each measure by itself."
    ] = None
    length: Annotated[
        int | None, "Tokens read of each document, at most. Default: as each measure by itself."
    ] = None
    task: Annotated[
        Literal["addition", "reversal", "indexing", "ordering"],
        "Symbolic task whose prompts `adjacency` reads, for models over characters without "
        "--corpus.",
    ] = "reversal"
    prompts: Annotated[
        int | None, "How many prompts or documents `adjacency` reads. Default: 100."
    ] = None
    init: Annotated[
        bool, "Measure the same architecture with random weights beside each number."
    ] = True

    def __post_init__(self) -> None:
        """Refuse names that are not known and numbers that make no sense."""
        super().__post_init__()
        self.require_at_least(1, "documents", "prompts")
        self.require_at_least(3, "length")
        for name in self.chosen_measures():
            if name not in MEASURES:
                raise UserError(f"--measures {name}: not known; choose among {', '.join(MEASURES)}")
        if NEEDS_DATA in self.chosen_measures() and self.data is None:
            raise UserError(f"--measures {NEEDS_DATA}: name the folder of its data sets by --data")

    def chosen_measures(self) -> tuple[str, ...]:
        """Return the measures asked for, in reading order; if none was named, all there can be."""
        if self.measures is None:
            return tuple(name for name in MEASURES if name != NEEDS_DATA or self.data is not None)
        asked = [name.strip() for name in self.measures.split(",") if name.strip()]
        return tuple(sorted(set(asked), key=lambda n: MEASURES.index(n) if n in MEASURES else -1))


@dataclass(frozen=True, kw_only=True)
class CompareOptions(ReportOptions):
    """Options of `compare`: those of `report`, since it runs the same measures on both sides."""

    resamples: Annotated[int, "Resamplings behind each interval."] = 2000

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        super().__post_init__()
        self.require_at_least(100, "resamples")
