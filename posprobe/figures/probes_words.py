"""What targets, streams and scores of probes are called in figures, tables and sentences."""

from dataclasses import dataclass

from posprobe.analysis.probes import ProbeScore
from posprobe.figures.sites import place


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


def quantity_words(score: ProbeScore) -> str:
    """Say what a probe's headline score is of: the target, the metric, and what is not usual."""
    unusual = [word for word in (score.feature, score.probe) if word not in ("state", "linear")]
    named = f"{target_words(score.target).name} {SCORES[score.headline.metric]}"
    return ", ".join((named, *unusual))


def place_words(score: ProbeScore) -> str:
    """Say where a probe reads: the site without its layer, and the stream if it is one."""
    site = place(score.site)
    return site if score.stream == "whole" else f"{site}, {score.stream}"
