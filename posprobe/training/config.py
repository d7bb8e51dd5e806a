"""Everything that decides a training, in one frozen value."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from posprobe.core.errors import UserError
from posprobe.models.config import DecoderConfig, EncoderConfig
from posprobe.training.data_config import TaskData, TextData

_CADENCE = frozenset({"save_every", "step_folders", "step_weights"})


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """A training: model, data, optimiser, cadence. Same values, same weights on a CPU."""

    recipe: str = "custom"
    """The recipe these values began as."""
    model: EncoderConfig | DecoderConfig = field(default_factory=EncoderConfig)
    """The model. An encoder learns to fill masked tokens, a decoder to write equations."""
    data: TextData | TaskData = field(default_factory=TextData)
    """What it learns from."""
    batch_size: int = 16
    """Sequences per process in one forward pass."""
    accumulation: int = 1
    """Forward passes per process in one step."""
    steps: int = 4000
    """Steps of the optimiser."""
    lr: float = 1e-3
    """Highest learning rate."""
    floor: float = 0.1
    """The share of `lr` at which the cosine ends."""
    warmup: int = 200
    """Steps over which the rate rises from nothing."""
    beta1: float = 0.9
    """AdamW's memory of the gradient."""
    beta2: float = 0.95
    """AdamW's memory of its square."""
    weight_decay: float = 0.01
    """AdamW's weight decay, on matrices and embeddings but not on norms and biases."""
    clip: float = 1.0
    """Longest gradient; 0: not clipped."""
    bias_lr_scale: float = 1.0
    """Learning rate of the relative bias, as a multiple of the others'."""
    init: Literal["authors", "fan-in", "even"] = "authors"
    """First weights: as the authors draw them (encoders uniform in ±0.02, decoders as nanoGPT); or
    those inside the blocks normal with a variance of one over the number of inputs; or `even`, the
    same but for queries and keys, which begin small, so that attention is even at first."""
    mask_rate: float = 0.2
    """Share of the text tokens to predict (encoders)."""
    mask_as_mask: float = 1.0
    """Share of those that [MASK] replaces."""
    mask_as_random: float = 0.0
    """Share of those that a random token replaces; what is left stays as it is."""
    seed: int = 0
    """Seed of the weights, the order, the masks and the equations."""
    log_every: int = 10
    """Steps between lines of the log."""
    eval_every: int = 250
    """Steps between evaluations on what is held out."""
    save_every: int = 250
    """Steps between saves from which a stopped training goes on."""
    step_folders: tuple[int, ...] = ()
    """Steps whose weights are kept as `step-000500/`."""
    step_weights: Literal["all", "small"] = "all"
    """Whether those folders hold the whole model, or the position table, norms and biases."""
    target: float = 0.0
    """Exact match at which a task counts as learned and training ends; 0: never."""
    mixed_precision: Literal["no", "bf16"] = "no"
    """Precision of the forward pass."""
    device: Literal["auto", "cpu"] = "auto"
    """`auto` takes the accelerators that are there."""
    threads: int = 0
    """CPU threads per process; 0: as torch chooses. Sums differ in the last bit between counts,
    and a small model is fastest on one thread where others compute beside it."""

    def __post_init__(self) -> None:
        """Refuse what cannot be trained."""
        for name in (
            "batch_size",
            "accumulation",
            "steps",
            "log_every",
            "eval_every",
            "save_every",
        ):
            _require(getattr(self, name) >= 1, name, getattr(self, name), "must be at least 1")
        _require(self.lr > 0, "lr", self.lr, "must be above 0")
        _require(0 < self.mask_rate <= 1, "mask_rate", self.mask_rate, "must be in (0, 1]")
        shares = self.mask_as_mask + self.mask_as_random
        _require(shares <= 1, "mask_as_mask + mask_as_random", shares, "must be at most 1")
        encoder, text = isinstance(self.model, EncoderConfig), isinstance(self.data, TextData)
        if encoder != text:
            raise UserError("data: an encoder is trained on text, a decoder on a task")
        if isinstance(self.data, TextData) and self.data.length > self.model.n_ctx:
            raise UserError(
                f"data.length={self.data.length} is more than model.n_ctx={self.model.n_ctx}"
            )

    @property
    def objective(self) -> Literal["mlm", "task"]:
        """What is learned: masked tokens of text, or a symbolic task."""
        return "mlm" if isinstance(self.data, TextData) else "task"

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as plain values, as they come back from JSON."""
        return json.loads(json.dumps(asdict(self)))

    def deciding(self) -> dict[str, Any]:
        """Return the settings that decide the losses; the rest may change on resuming."""
        return {key: value for key, value in self.to_dict().items() if key not in _CADENCE}


def _require(holds: bool, name: str, value: float, rule: str) -> None:
    if not holds:
        raise UserError(f"{name}={value} {rule}")
