"""What a reader should know of single targets."""

from collections.abc import Iterable, Iterator

import numpy as np

from posprobe.pipeline.probing.study import Study

MOST = 0.5
"""Share of sequences of one length from which on two targets are hardly two."""


def probe_notes(studies: Iterable[Study]) -> dict[str, str]:
    """Say, by target, what is not as a reader would expect.

    Args:
        studies: What is probed, one per checkpoint.
    """
    notes: dict[str, list[str]] = {}
    for study in studies:
        for target in study.known:
            notes.setdefault(target.name, []).extend(_notes(study, target.name))
    return {target: " ".join(lines) for target, lines in notes.items() if lines}


def _notes(study: Study, target: str) -> Iterator[str]:
    corpus, chosen = study.corpus, study.chosen
    lengths, counts = np.unique(corpus.tokens.lengths, return_counts=True)
    if target == "to-end" and counts.max() > MOST * counts.sum():
        yield (
            f"{counts.max()} of {counts.sum()} sequences of {study.name} have "
            f"{lengths[counts.argmax()]} tokens: for them this is the position counted backwards."
        )
    learned = int(corpus.train.text.counted.sum())
    if set(chosen.probe) - {"linear"} and learned > chosen.mlp_tokens:
        yield (
            f"The networks of {study.name} learned from {chosen.mlp_tokens:,} of {learned:,} "
            "training tokens (--mlp-tokens)."
        )
