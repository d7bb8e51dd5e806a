"""The names of what probes read; light to import, since the command line lists them."""

NUMBERS = ("token", "sentence", "paragraph", "within-sentence", "within-paragraph", "to-end")
"""Targets that are numbers. All but `token` and `to-end` need text with sentences."""
WITHOUT_SENTENCES = ("token", "to-end")
"""Those that any sequence has."""
UPOS = (
    *("_", "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON"),
    *("PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
)
"""The universal parts of speech; `_` is for tokens that are in no word."""
CLASSES = {"boundary": ("inside", "last"), "upos": UPOS}
"""Targets that are classes, with the name of each class."""
TARGETS = (*NUMBERS, *CLASSES)
