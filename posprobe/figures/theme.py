"""The colours of figures and pages, named by what they mean."""

from dataclasses import dataclass

SERIES = ("c1", "c2", "c3", "c4", "c5", "c6", "c7")
"""Colours of lines that are told apart by name (Okabe and Ito's set)."""

CLASSES = {
    "structure": ("structure", "St"),
    "semantic": ("semantic", "Se"),
    "relative": ("relative", "Re"),
    "mixed": ("mixed", "Mi"),
    "undefined": ("undefined", "–"),
}
"""For each class of head, its colour role and the letters that need no colour."""

POSITION_STOPS = tuple(f"position-{step}" for step in range(9))
"""Roles of the scale for positions (viridis, without the end that the page swallows)."""

AMOUNT_STOPS = tuple(f"amount-{step}" for step in range(9))
"""Roles of the scale for amounts: from the page's own colour to a full blue."""


@dataclass(frozen=True, kw_only=True)
class Theme:
    """One colour for each role.

    Attributes:
        name: `light`, `dark` or `css`.
        colours: Role to colour, as CSS understands it.
    """

    name: str
    colours: dict[str, str]

    def __getitem__(self, role: str) -> str:
        return self.colours[role]

    def css(self) -> str:
        """Return the colours as CSS custom properties, one a line."""
        return "\n".join(f"--{role}: {colour};" for role, colour in self.colours.items())


def _theme(name: str, position: str, amount: str, **roles: str) -> Theme:
    stops = zip(POSITION_STOPS + AMOUNT_STOPS, (position + " " + amount).split(), strict=True)
    return Theme(name=name, colours={**roles, **{role: f"#{colour}" for role, colour in stops}})


LIGHT = _theme(
    "light",
    "440154 482979 3d4d8a 2f6c8e 23888e 20a386 42be71 84d44b c4dc1f",
    "f0f6fb d3e6f6 aed3f0 84bce8 5aa3dd 3888cb 286fb1 215693 1e4171",
    paper="#ffffff",
    surface="#f6f7f8",
    ink="#1c2126",
    muted="#5b6670",
    grid="#e3e7ea",
    c1="#0072b2",
    c2="#d55e00",
    c3="#009e73",
    c4="#b5638f",
    c5="#c78500",
    c6="#3a9bd6",
    c7="#5b6670",
    structure="#0072b2",
    semantic="#d55e00",
    relative="#009e73",
    mixed="#8b949c",
    undefined="#e3e7ea",
)

DARK = _theme(
    "dark",
    "4f5aa6 3f75a0 33899c 2a9a98 2cae8b 4dc370 83d450 c0df25 fde725",
    "1b2733 153862 104f87 0a67a8 1881c4 399bd8 61b5e7 8fcef0 c1e4f7",
    paper="#14181c",
    surface="#1c2227",
    ink="#e4e8eb",
    muted="#9aa5ae",
    grid="#2c343b",
    c1="#56b4e9",
    c2="#f08c4a",
    c3="#2fc79b",
    c4="#e29bc4",
    c5="#e6b03c",
    c6="#8fa8ff",
    c7="#9aa5ae",
    structure="#56b4e9",
    semantic="#f08c4a",
    relative="#2fc79b",
    mixed="#87929b",
    undefined="#2c343b",
)

CSS = Theme(name="css", colours={role: f"var(--{role})" for role in LIGHT.colours})
"""Colours left to the page, which knows whether it is light or dark."""
