"""What is written down about a training, so that somebody else can repeat it."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from posprobe.core.provenance import TokenSource, command_line, installed_versions
from posprobe.training.config import TrainConfig

CURVE_POINTS = 200


def training_record(
    config: TrainConfig,
    *,
    overrides: Sequence[str],
    out: str,
    data: TokenSource,
    longest: int,
    step: int,
    tokens: int,
    seconds: float,
    evaluation: dict[str, float],
    log: Sequence[dict[str, Any]],
    threads: int,
    processes: int,
) -> dict[str, Any]:
    """Return the provenance of a trained checkpoint as plain values.

    Args:
        config: Every setting.
        overrides: The `key=value` pairs that changed the recipe.
        out: The folder, for the command.
        data: What was learned from.
        longest: Tokens of the longest training sequence; later position rows are untrained.
        step: Steps done.
        tokens: Tokens read.
        seconds: Time spent in steps.
        evaluation: The last numbers on what is held out.
        log: The lines of the log.
        threads: CPU threads per process.
        processes: How many processes trained together.
    """
    words = ["posprobe", "train", config.recipe, "--out", out]
    words += [word for pair in overrides for word in ("--set", pair)]
    return {
        "recipe": config.recipe,
        "command": command_line(words),
        "overrides": list(overrides),
        "seed": config.seed,
        "data": asdict(data),
        "longest_document": longest,
        "steps": step,
        "tokens_seen": tokens,
        "seconds": round(seconds, 1),
        "threads": threads,
        "processes": processes,
        "evaluation": evaluation,
        "curve": [[line["step"], line["loss"]] for line in _thin(log, "loss")],
        "evaluations": [[line["step"], line["eval"]] for line in _thin(log, "eval")],
        "config": config.to_dict(),
        "versions": installed_versions(),
    }


def _thin(log: Sequence[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    lines = [line for line in log if key in line]
    every = max(1, math.ceil(len(lines) / CURVE_POINTS))
    # Counted from the end, so that the last line is always there.
    return lines[::-1][::every][::-1]
