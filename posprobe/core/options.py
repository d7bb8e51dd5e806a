"""Options that a user can set, explained once: this text is also the command line's help."""

from dataclasses import dataclass
from typing import Annotated, Literal

from posprobe.core.errors import UserError


@dataclass(frozen=True, kw_only=True)
class LoadOptions:
    """How to open a checkpoint, whatever its format."""

    device: Annotated[str, "Where the model runs: cpu, cuda, cuda:1, mps."] = "cpu"
    dtype: Annotated[
        Literal["float32", "bfloat16", "float16", "float64"], "The precision it runs in."
    ] = "float32"
    tokenizer: Annotated[
        str | None,
        "Vocabulary file or tokenizer folder, if the checkpoint has none of its own; "
        "`ascii` is the 96-character table of arXiv 2501.00073's code.",
    ] = None
    gelu: Annotated[
        Literal["tanh", "erf"] | None,
        "GELU of a nanoGPT file, which does not say which one it was trained with.",
    ] = None
    trust_pickle: Annotated[bool, "Allow code inside a pickled checkpoint to run."] = False


@dataclass(frozen=True, kw_only=True)
class RunOptions(LoadOptions):
    """How to run a measure."""

    seed: Annotated[int, "Seed of every random choice."] = 0
    batch_size: Annotated[int, "Sequences run at once."] = 16

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        self.require_at_least(0, "seed")
        self.require_at_least(1, "batch_size")

    def require_at_least(self, lowest: float, *names: str) -> None:
        """Refuse options below a bound; an option that is None is left to its default.

        Raises:
            UserError: Names the flag and its value.
        """
        for name in names:
            value = getattr(self, name)
            if value is not None and not value >= lowest:
                flag = name.replace("_", "-")
                raise UserError(f"--{flag} {value}: must be at least {lowest}")


@dataclass(frozen=True, kw_only=True)
class MeasureOptions(RunOptions):
    """How to run a measure whose results are kept."""

    no_cache: Annotated[
        bool, "Measure again what is in the cache, and keep the new result in its place."
    ] = False
