"""How a training says how far it is."""

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a training is.

    Attributes:
        step: Steps done.
        steps: Steps of the whole training.
        loss: Mean loss since the last report, in nats.
        tokens_per_second: Tokens of all processes together, since the last report.
        seconds_left: Time left at the mean speed so far.
        evaluation: The last numbers on what is held out.
    """

    step: int
    steps: int
    loss: float
    tokens_per_second: float
    seconds_left: float
    evaluation: dict[str, float] = field(default_factory=dict)
