"""What each measure lets a user choose; light to import, since the command line reads it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from posprobe.core.errors import UserError
from posprobe.core.options import MeasureOptions
from posprobe.data.target_names import TARGETS

Corpus = Annotated[
    str | None,
    "Text to run on: a .txt, .jsonl, .parquet or .conllu file, a folder of .txt, `installed` (the "
    "prose of Python and its packages), `docstrings` (theirs as they stand) or `hf:NAME`; "
    "`random-tokens` draws ids for a model without a vocabulary. Default: documents generated "
    "from the seed.",
]

Length = Annotated[
    int | None, "Tokens read of each document, at most. Default: the model's context, up to 512."
]


PROBES = ("linear", "mlp", "mlp-small")
FEATURES = ("state", "cosine", "norm")
"""Names that `probe` takes; what they mean is said where they are measured."""


@dataclass(frozen=True, kw_only=True)
class ManifoldOptions(MeasureOptions):
    """Options of `manifold`."""

    source: Annotated[
        Literal["auto", "table", "states"],
        "`table`: the learned position table. `states`: mean states by position, for any model. "
        "`auto`: the table where there is one.",
    ] = "auto"
    site: Annotated[
        tuple[str, ...],
        "Hook name of the states, such as blocks.3.hook_resid_post; without `blocks.3.` it stands "
        "for every layer. Can be given again. Default: the residual stream, each stream of it.",
    ] = ()
    steps: Annotated[
        Literal["last", "all"],
        "`all`: every step that a training kept, `step-000500/` and so on, and its end.",
    ] = "last"
    corpus: Corpus = None
    documents: Annotated[int, "How many documents to use, at most."] = 200
    length: Length = None
    positions: Annotated[
        int | None, "How many positions; only documents that reach them all count. "
        "Default: the documents' median length.",
    ] = None  # fmt: skip
    draws: Annotated[int, "Random tables drawn for each null."] = 20

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        super().__post_init__()
        self.require_at_least(1, "documents", "draws")
        self.require_at_least(2, "positions", "length")


@dataclass(frozen=True, kw_only=True)
class HeadsOptions(MeasureOptions):
    """Options of `heads`."""

    corpus: Corpus = None
    documents: Annotated[int, "How many documents to use, at most."] = 64
    length: Length = None
    special: Annotated[bool, "Count special tokens as if they were text."] = False
    threshold: Annotated[float, "Share from which the largest term names a head."] = 0.6
    init: Annotated[bool, "Measure the same architecture with random weights beside it."] = True

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        super().__post_init__()
        self.require_at_least(1, "documents")
        self.require_at_least(2, "length")
        _require_share("threshold", self.threshold)


@dataclass(frozen=True, kw_only=True)
class DecompositionOptions(MeasureOptions):
    """Options of `decomposition`."""

    corpus: Annotated[
        str | None,
        "Text to run on, as for `heads`. Default: documents generated from the seed; random ids "
        "for a model over characters.",
    ] = None
    documents: Annotated[int, "How many documents to use, at most."] = 100
    length: Annotated[
        int | None,
        "Tokens of each document; shorter ones are left out. Default: the model's context, up to "
        "128.",
    ] = None
    start: Annotated[
        int, "The first position that counts: 1 leaves out a first token that all attend to."
    ] = 0
    threshold: Annotated[float, "Share from which the largest part names a head."] = 0.6
    init: Annotated[bool, "Measure the same architecture with random weights beside it."] = True

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        super().__post_init__()
        self.require_at_least(2, "documents")
        self.require_at_least(3, "length")
        self.require_at_least(0, "start")
        _require_share("threshold", self.threshold)


@dataclass(frozen=True, kw_only=True)
class AdjacencyOptions(MeasureOptions):
    """Options of `adjacency`."""

    init: Annotated[bool, "Measure the same configuration with random weights."] = False
    init_seeds: Annotated[int, "How many random initialisations, from --seed on."] = 1
    init_mean: Annotated[float, "Mean of the random weights, if --init-std is given."] = 0.0
    init_std: Annotated[
        float | None,
        "Standard deviation of every random weight matrix. Default: as the code initialises.",
    ] = None
    noncausal: Annotated[bool, "Add the same weights without the causal mask."] = False
    permute: Annotated[bool, "Add the same sequences with their tokens in random order."] = False
    task: Annotated[
        Literal["addition", "reversal", "indexing", "ordering"],
        "Symbolic task whose prompts are read, up to and including `=`.",
    ] = "reversal"
    prompts: Annotated[int, "How many prompts or documents."] = 100
    front_pad: Annotated[
        int | None,
        "Pad and cut the lines to this many characters with newlines in front, as the authors' "
        "code does: 9, 22, 19 and 17 for addition, reversal, ordering and indexing.",
    ] = None
    corpus: Annotated[
        str | None,
        "Read text instead of a task: a file as for `heads`, `generated` or `random-tokens`.",
    ] = None
    length: Annotated[
        int | None,
        "With --corpus: tokens per sequence. Default: 64, or the context if it is shorter.",
    ] = None
    site: Annotated[
        tuple[str, ...],
        "Hook name of the states; without `blocks.N.` it stands for every layer. Can be given "
        "again. Default: token embedding, attn.hook_z, hook_attn_out, hook_resid_post.",
    ] = ()
    draws: Annotated[
        int | None,
        "Estimate each score from so many random triples, for very long sequences. "
        "Default: count them all.",
    ] = None
    per_head: Annotated[bool, "Score each head of attn.hook_z by itself, too."] = False
    average: Annotated[
        Literal["rows", "triples"],
        "Which score headlines: the mean over rows (the paper) or pooled triples (its code).",
    ] = "rows"
    ties: Annotated[
        Literal["strict", "half"], "Equal similarities count as failures, or as half."
    ] = "strict"

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        super().__post_init__()
        self.require_at_least(1, "init_seeds", "prompts", "front_pad")
        self.require_at_least(0, "init_std")
        self.require_at_least(2, "draws")
        self.require_at_least(3, "length")
        if self.init_mean and self.init_std is None:
            raise UserError(f"--init-mean {self.init_mean}: needs --init-std as well")


@dataclass(frozen=True, kw_only=True)
class ProbeOptions(MeasureOptions):
    """Options of `probe`."""

    target: Annotated[
        tuple[str, ...],
        "What to read: token, sentence, paragraph, within-sentence, within-paragraph, to-end; "
        "classes: boundary, upos (.conllu only). Can be given again. Default: the first five; of "
        "random tokens, token and to-end.",
        "--targets",
    ] = ()
    probe: Annotated[
        tuple[str, ...],
        "linear, mlp (the four layers of arXiv 2501.00073) or mlp-small. Can be given again. "
        "Default: linear.",
        "--probes",
    ] = ()
    feature: Annotated[
        tuple[str, ...],
        "What of a state is read: state, cosine (to the last token), norm, or several joined by "
        "`+`. Can be given again. Default: state.",
        "--features",
    ] = ()
    site: Annotated[
        tuple[str, ...],
        "Hook name of the states; without `blocks.N.` it stands for every layer. Can be given "
        "again. Default: token embedding and hook_resid_post, each stream of it too.",
        "--sites",
    ] = ()
    layer: Annotated[
        tuple[int, ...],
        "Only this layer; -1 is the token embedding. Can be given again.",
        "--layers",
    ] = ()
    stream: Annotated[
        tuple[str, ...],
        "Only this stream: whole, or ap or sem where a model has them. Can be given again.",
        "--streams",
    ] = ()
    corpus: Corpus = None
    documents: Annotated[int, "How many documents to read, at most."] = 200
    length: Length = None
    disjoint: Annotated[
        bool, "With --corpus random-tokens: other tokens for the test than for training."
    ] = False
    init: Annotated[bool, "Measure the same architecture with random weights beside it."] = True
    folds: Annotated[int, "Folds of the training documents that choose the ridge penalty."] = 5
    test_share: Annotated[float, "Fraction of the documents that probes are examined on."] = 0.25
    seeds: Annotated[int, "How often an MLP is trained, from seed 0 on."] = 5
    mlp_tokens: Annotated[int, "Tokens an MLP learns from, at most."] = 20_000

    def __post_init__(self) -> None:
        """Refuse names that are not known and numbers that make no sense."""
        super().__post_init__()
        self.require_at_least(1, "documents", "seeds")
        self.require_at_least(2, "folds")
        self.require_at_least(3, "length")
        self.require_at_least(100, "mlp_tokens")
        if not 0 < self.test_share < 1:
            raise UserError(f"--test-share {self.test_share}: must be between 0 and 1")
        _require_among(TARGETS, "target", self.target)
        _require_among(PROBES, "probe", self.probe)
        _require_among(FEATURES, "feature", [p for name in self.feature for p in name.split("+")])
        if self.disjoint and self.corpus != "random-tokens":
            raise UserError("--disjoint: needs --corpus random-tokens")


def _require_share(flag: str, value: float) -> None:
    if not 0 < value <= 1:
        raise UserError(f"--{flag} {value}: must be above 0 and at most 1")


def _require_among(known: Sequence[str], flag: str, names: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise UserError(f"--{flag} {name}: not known; choose among {', '.join(known)}")
