"""Checkpoints as a page lists them: each with its records and the steps that were kept."""

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from posprobe.core.provenance import CheckpointSource

_DRAWN = ("curve", "evaluations")


@dataclass(frozen=True, kw_only=True)
class Listed:
    """One checkpoint.

    Attributes:
        source: What was read.
        steps: The steps of its training that were read as well.
    """

    source: CheckpointSource
    steps: tuple[CheckpointSource, ...] = ()

    @property
    def facts(self) -> dict[str, Any]:
        """What its records say in a word or a number each."""
        return {key: value for key, value in self._records().items() if not _is_nested(value)}

    @property
    def settings(self) -> dict[str, Any]:
        """What its records say at length, such as the whole configuration."""
        return {key: value for key, value in self._records().items() if _is_nested(value)}

    def _records(self) -> dict[str, Any]:
        trained = self.source.trained
        return {key: value for key, value in trained.items() if key not in _DRAWN}


def listed(sources: tuple[CheckpointSource, ...]) -> tuple[Listed, ...]:
    """Return the checkpoints in order, kept steps under the checkpoint they became.

    Args:
        sources: The checkpoints of one result.
    """
    refs = {PurePath(source.ref) for source in sources}
    steps: dict[PurePath, list[CheckpointSource]] = {}
    whole = []
    for source in sources:
        ref = PurePath(source.ref)
        if re.fullmatch(r"step-\d+", ref.name) and ref.parent in refs:
            steps.setdefault(ref.parent, []).append(source)
        else:
            whole.append(source)
    return tuple(
        Listed(source=source, steps=tuple(steps.pop(PurePath(source.ref), ()))) for source in whole
    )


def _is_nested(value: Any) -> bool:
    if isinstance(value, dict):
        return bool(value)
    return isinstance(value, list) and any(isinstance(item, dict | list) for item in value)
