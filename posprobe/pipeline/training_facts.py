"""What a checkpoint's records say of its training."""

from typing import Any

from posprobe.core.provenance import CheckpointSource


def training_facts(source: CheckpointSource) -> dict[str, Any]:
    """Take the step and the held-out loss from a checkpoint's records, where they say."""
    evaluation = source.trained.get("evaluation") or {}
    return {"step": source.trained.get("steps"), "loss": evaluation.get("loss")}
