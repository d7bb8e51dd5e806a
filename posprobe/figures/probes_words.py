"""What targets, streams and scores of probes are called in figures, tables and sentences."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Words:
    """A target in words.

    Attributes:
        name: What to call it in a sentence.
        meaning: What the probe has to tell of a token.
    """

    name: str
    meaning: str


TARGETS = {
    "token": Words(name="token position", meaning="the place of the token in the document"),
    "sentence": Words(name="sentence", meaning="in which sentence of the document the token is"),
    "paragraph": Words(name="paragraph", meaning="in which paragraph of the document the token is"),
    "within-sentence": Words(
        name="place in the sentence", meaning="the place of the token in its sentence"
    ),
    "within-paragraph": Words(
        name="place in the paragraph", meaning="the place of the token in its paragraph"
    ),
    "to-end": Words(
        name="distance to the end", meaning="how many tokens it is to the last one of the document"
    ),
    "boundary": Words(name="sentence boundary", meaning="whether the token ends a sentence"),
    "upos": Words(name="part of speech", meaning="the part of speech of the token's word"),
}
"""The targets that have a name of more than a word."""

SCORES = {
    "r2": "R²",
    "nrmse": "NRMSE",
    "pearson": "Pearson r",
    "macro_f1": "macro-F1",
    "accuracy": "accuracy",
}
"""What the scores are called."""

PROBES = {"linear": "linear probe", "mlp": "MLP", "mlp-small": "small MLP"}
"""What the kinds of probe are called."""

STREAMS = {
    "whole": "whole state",
    "ap": "absolute position (ap)",
    "sem": "semantic (sem)",
}
"""What the streams are called above a panel."""


def target_words(target: str) -> Words:
    """Return the words for a target; one that is not ours keeps its name.

    >>> target_words("token").name, target_words("tree depth").name
    ('token position', 'tree depth')
    """
    return TARGETS.get(target, Words(name=target, meaning=f"the target {target}"))
