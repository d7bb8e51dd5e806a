"""Recognising text that has been seen before, word for word or nearly so."""

from hashlib import blake2b


class Repeats:
    """Remembers the sentences of a corpus, eight bytes each.

    Two sentences count as equal if they differ only in capitals, numbers, punctuation
    and names of code, as inherited and generated descriptions do.

    >>> repeats = Repeats()
    >>> repeats.is_repeat(("Return the mean of Frame.x.",))
    False
    >>> repeats.is_repeat(("Return the mean of Frame.y!",))
    True
    """

    def __init__(self) -> None:
        self._seen: set[bytes] = set()

    def is_repeat(self, paragraph: tuple[str, ...]) -> bool:
        """Say whether half of the sentences have been seen, and remember them all."""
        keys = {_key(sentence) for sentence in paragraph}
        seen = len(keys & self._seen)
        self._seen |= keys
        return 2 * seen >= len(keys)


def _key(sentence: str) -> bytes:
    words = (word.strip("()\"'“”‘’.,;:?!") for word in sentence.split())
    # Summaries differ in their first word above all, which has a capital.
    plain = [w for place, w in enumerate(words) if w.isalpha() and w[place == 0 :].islower()]
    return blake2b(" ".join(plain).lower().encode(), digest_size=8).digest()
