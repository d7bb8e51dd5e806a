"""A small English grammar with agreement, word order, and openers that know their place."""

import numpy as np

from posprobe.data.topics import Topic

SINGULAR = ("the", "this", "a", "each", "every", "one")
PLURAL = ("the", "these", "some", "many", "all", "two")
PREPOSITIONS = ("near", "behind", "without", "beside", "with", "before", "after")
ADVERBS = ("often", "rarely", "usually", "never", "always", "sometimes")
MANNERS = ("slowly", "gladly", "quickly", "again", "together", "at once", "in silence")
CONJUNCTIONS = ("and", "but", "because", "while", "although")
OPENERS = {
    "start": ("To begin with,", "First of all,", "At first,"),
    "middle": ("Next,", "After that,", "In the same way,", "Besides,"),
    "end": ("Finally,", "In the end,", "At last,"),
    "inner": ("Moreover,", "For example,", "However,", "Then,"),
    "last": ("Therefore,", "As a result,", "So"),
    "closing": ("In short,", "To sum up,", "All in all,"),
}
OPENER_SHARE = 0.7
"""How many of the places that can have an opener have one."""


class Grammar:
    """Writes sentences about one topic; the same generator state gives the same ones."""

    def __init__(self, topic: Topic, rng: np.random.Generator) -> None:
        self._rng = rng
        # Each document has its own favourites, so that its words differ from its neighbours'.
        self._nouns = self._shuffled(topic.nouns)
        self._verbs = self._shuffled(topic.verbs)
        self._adjectives = self._shuffled(topic.adjectives)
        self._plural: bool | None = None

    def begin_paragraph(self) -> None:
        """Forget what `it` and `they` could refer to."""
        self._plural = None

    def title(self) -> str:
        """Write a title."""
        return f"The {self._favourite(self._adjectives)} {self.noun()}"

    def noun(self) -> str:
        """Pick one of the document's nouns, its favourites more often."""
        return self._favourite(self._nouns)

    def sentence(self, place: str) -> str:
        """Write a sentence.

        Args:
            place: A key of `OPENERS`: where in the document the sentence stands, which
                decides how it may open.
        """
        clause = self._clause()
        if self._chance(0.25):
            clause += f", {self._pick(CONJUNCTIONS)} {self._clause()}"
        if self._chance(OPENER_SHARE):
            return f"{self._pick(OPENERS[place])} {clause}."
        return f"{clause[0].upper()}{clause[1:]}."

    def _clause(self) -> str:
        subject, plural = self._subject()
        self._plural = plural
        if self._chance(0.2):
            return f"{subject} {'are' if plural else 'is'} {self._favourite(self._adjectives)}"
        words = [subject]
        if self._chance(0.3):
            words.append(self._pick(ADVERBS))
        words.append(self._favourite(self._verbs) + ("" if plural else "s"))
        words.append(self._object(plural))
        if self._chance(0.3):
            words.append(self._pick(MANNERS))
        return " ".join(words)

    def _subject(self) -> tuple[str, bool]:
        """Return a noun phrase or a pronoun for the subject before, and its number."""
        if self._plural is not None and self._chance(0.35):
            return ("they" if self._plural else "it"), self._plural
        plural = self._chance(0.5)
        phrase = self._phrase(plural)
        if self._chance(0.2):
            phrase += f" {self._pick(PREPOSITIONS)} {self._phrase(self._chance(0.5))}"
        return phrase, plural

    def _object(self, plural: bool) -> str:
        if self._chance(0.1):
            return "themselves" if plural else "itself"
        return self._phrase(self._chance(0.5))

    def _phrase(self, plural: bool) -> str:
        words = [self.noun() + ("s" if plural else "")]
        if self._chance(0.4):
            words.insert(0, self._favourite(self._adjectives))
        determiner = self._pick(PLURAL if plural else SINGULAR)
        if determiner == "a" and words[0][0] in "aeiou":
            determiner = "an"
        return " ".join([determiner, *words])

    def _chance(self, share: float) -> bool:
        return self._rng.random() < share

    def _pick(self, words: tuple[str, ...]) -> str:
        return words[int(self._rng.random() * len(words))]

    def _favourite(self, words: tuple[str, ...]) -> str:
        """Pick a word, the first ones more often, much as in real text."""
        return words[int(self._rng.random() ** 2 * len(words))]

    def _shuffled(self, words: tuple[str, ...]) -> tuple[str, ...]:
        # By sorted uniform draws, whose stream NumPy keeps stable between versions.
        order = np.argsort(self._rng.random(len(words)), kind="stable")
        return tuple(words[index] for index in order.tolist())
