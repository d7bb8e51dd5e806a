"""What `holmes` lets a user choose; light to import, since the command line reads it."""

from dataclasses import dataclass
from typing import Annotated, Literal

from posprobe.core.errors import UserError
from posprobe.core.options import MeasureOptions
from posprobe.pipeline.options import Length


@dataclass(frozen=True, kw_only=True)
class HolmesOptions(MeasureOptions):
    """Options of `holmes`."""

    data: Annotated[
        str | None,
        "Folder of the data sets, one subfolder with a samples.csv for each: Flash-Holmes as its "
        "own script downloads it, or what `posprobe holmes-data` makes.",
    ] = None
    only: Annotated[
        tuple[str, ...], "Only the data set of this name, or `blimp-*`. Can be given again."
    ] = ()
    map: Annotated[
        str | None,
        "CSV file with the columns dataset, field and phenomenon, for data sets of your own. "
        "Default: the map of the benchmark.",
    ] = None
    site: Annotated[
        tuple[str, ...],
        "Hook name of the states; without `blocks.N.` it stands for every layer. Can be given "
        "again. Default: what the last layer gives, after the final norm where there is one.",
    ] = ()
    stream: Annotated[
        Literal["whole", "ap", "sem"], "Which stream of the states, where a model has two."
    ] = "whole"
    special: Annotated[
        bool, "Count special tokens in the mean over a text, as the benchmark does."
    ] = True
    length: Length = None
    seeds: Annotated[int, "How many probes for each data set, from --seed on."] = 5
    exact: Annotated[
        bool,
        "Train probes as the benchmark's code does, to compare with its leaderboard: classes by "
        "softmax twice, numbers as they stand.",
    ] = False
    scale: Annotated[
        bool,
        "Bring each feature to mean 0 and variance 1 first, which the benchmark does not; its "
        "probe learns small states slowly.",
    ] = False
    mdl: Annotated[
        bool, "Measure the codelength of the labels (Voita & Titov 2020), too; takes about as long."
    ] = False
    init: Annotated[bool, "Measure the same architecture with random weights beside it."] = False
    cache: Annotated[
        str | None,
        "Folder that keeps finished data sets, which are not measured again. Default: "
        "the user's cache.",
    ] = None

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        super().__post_init__()
        self.require_at_least(1, "seeds")
        self.require_at_least(3, "length")
        if self.exact and self.scale:
            raise UserError("--scale: not with --exact, which leaves states as they are")
        if self.data is None:
            raise UserError("holmes: name the folder of the data sets by --data")
