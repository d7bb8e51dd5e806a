"""What a treebank gives for one sample, before it is dealt out to a split."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Item:
    """Texts, or places in them, with a label.

    Attributes:
        texts: The inputs themselves, or the texts that hold them.
        label: A class by its name, or a number.
        places: Number of the text, first character, last character + 1, of each input; empty
            if the inputs are whole texts.
    """

    texts: tuple[str, ...]
    label: str | float
    places: tuple[tuple[int, int, int], ...] = ()
