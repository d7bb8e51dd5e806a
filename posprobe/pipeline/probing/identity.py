"""How well a token's id alone tells each target: a control that looks at no state."""

import numpy as np

from posprobe.analysis.token_identity import TokenMeans
from posprobe.pipeline.probing.corpus import Side
from posprobe.pipeline.probing.examination import Examination
from posprobe.pipeline.probing.study import Study
from posprobe.pipeline.probing.target import Columns

BLOCK = 1 << 16
"""Tokens written into columns at once, so that memory does not grow with the documents."""


def identity_scores(study: Study, *, d_vocab: int) -> dict[str, float]:
    """Return the headline score of each target when its mean by token id is the guess.

    Args:
        study: The documents and their targets.
        d_vocab: Size of the vocabulary.
    """
    columns = Columns(study.known)
    if not columns.groups:
        return {}
    means = TokenMeans(folds=study.chosen.folds, vocabulary=d_vocab, targets=len(columns.groups))
    train, test = study.corpus.train, study.corpus.test
    for places in _blocks(train):
        fold = train.fold[train.text.document[places]]
        labels = columns.encode(train.text.labels[:, places])
        means.update(train.text.tokens.ids[places], labels, fold)
    guess = means.fit(groups=columns.groups)
    examination = Examination(study.known, documents=study.test_documents)
    for places in _blocks(test):
        guesses = columns.decode(guess.predict(test.text.tokens.ids[places]))
        labels = test.text.labels[:, places]
        examination.update(test.text.document[places], labels, guesses)
    return examination.headlines()


def _blocks(side: Side) -> list[np.ndarray]:
    counted = np.flatnonzero(side.text.counted)
    return np.array_split(counted, -(-counted.size // BLOCK))
