"""What a treebank says of the words of a document."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int


@dataclass(frozen=True, kw_only=True, eq=False)
class Annotation:
    """The columns of CoNLL-U, one entry per syntactic word, in the order of the text.

    Strings are shared between words, so that a tag costs a pointer. `_` means that
    nothing is annotated, as in the file.

    Attributes:
        form: The word.
        lemma: Its dictionary form.
        upos: Universal part of speech.
        xpos: Part of speech in the treebank's own tag set.
        feats: Morphological features, as `Case=Nom|Number=Sing`.
        deprel: Relation to the head.
        deps: Enhanced dependencies.
        misc: Everything else, as `SpaceAfter=No|Entity=…`.
        head: The word's head, counted as the words of the document are, from 0; -1 for
            the root of a sentence.
        sentence: Sentence of the document, from 0, as in `Document.spans`.
        start: First character of the word in the document's text; -1 if the text does
            not spell it. The words of a contraction, such as `do` and `n't` in one
            multiword token, have the place of the whole.
        end: One more than its last character, or -1.
        sentence_type: What the treebank calls each sentence, such as `decl` or `imp`, by its
            comment `s_type`; empty where it says nothing.
    """

    form: tuple[str, ...]
    lemma: tuple[str, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    feats: tuple[str, ...]
    deprel: tuple[str, ...]
    deps: tuple[str, ...]
    misc: tuple[str, ...]
    head: Int[np.ndarray, " pos"]
    sentence: Int[np.ndarray, " pos"]
    start: Int[np.ndarray, " pos"]
    end: Int[np.ndarray, " pos"]
    sentence_type: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.form)
