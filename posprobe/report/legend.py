"""The key of a figure, as a page shows it above the drawing."""

from dataclasses import dataclass
from typing import Literal

from posprobe.figures.description import Figure, Key
from posprobe.figures.marks import Bars, Line, Rule, Scale
from posprobe.figures.words import decimal

Kind = Literal["line", "point", "bar", "ramp", "class"]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One entry of a key.

    Attributes:
        kind: What the sample looks like.
        label: What it stands for.
        roles: Its colour, or the stops of its ramp.
        dash: Stroke of a line.
        shape: Marker, if any.
        filled: Whether the marker is filled.
        thin: Whether the stroke is fine.
        ends: The numbers at the ends of a ramp.
        toggles: Whether marks of this name can be hidden.
    """

    kind: Kind
    label: str
    roles: tuple[str, ...]
    dash: str = "solid"
    shape: str | None = None
    filled: bool = True
    thin: bool = False
    ends: tuple[str, str] = ("", "")
    toggles: bool = True


def legend(figure: Figure) -> tuple[Entry, ...]:
    """Return the entries of a figure: names first, then colour scales."""
    names = tuple(_entry(key) for key in figure.legend())
    scales = tuple(entry for scale in figure.scales() for entry in _scale(scale))
    return names + scales


def _entry(key: Key) -> Entry:
    match key:
        case Line():
            return Entry(
                kind="line",
                label=key.label,
                roles=(key.role,),
                dash=key.dash,
                shape=key.shape,
                thin=key.thin,
            )
        case Rule():
            return Entry(
                kind="line",
                label=key.label,
                roles=(key.role,),
                dash=key.dash,
                toggles=key.axis == "diagonal",
            )
        case Bars():
            return Entry(kind="bar", label=key.label, roles=(key.role,))
        case _:
            return Entry(
                kind="point",
                label=key.label,
                roles=(key.role,),
                shape=key.shape,
                filled=key.filled,
            )


def _scale(scale: Scale) -> tuple[Entry, ...]:
    if scale.classes:
        return tuple(
            Entry(kind="class", label=name, roles=(role,), toggles=False)
            for name, role in zip(scale.classes, scale.stops, strict=True)
        )
    ends = (_end(scale.low), _end(scale.high))
    return (Entry(kind="ramp", label=scale.label, roles=scale.stops, ends=ends, toggles=False),)


def _end(value: float) -> str:
    return decimal(value, 0 if value == round(value) else 2)
