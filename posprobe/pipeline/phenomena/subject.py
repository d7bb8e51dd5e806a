"""A model that is examined on Holmes, and where its states are read."""

from collections.abc import Mapping
from dataclasses import dataclass

from posprobe.models.protocol import Model


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A model as a report names it.

    Attributes:
        name: The checkpoint's short name.
        condition: `checkpoint` or `random init`.
        model: The model.
        places: The sites that are read, by their names.
    """

    name: str
    condition: str
    model: Model
    places: Mapping[str, str]
