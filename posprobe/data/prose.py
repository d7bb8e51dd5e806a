"""Telling sentences of English prose from what else stands in technical text."""

import re

from posprobe.data.english import FUNCTION_WORDS, VERBS
from posprobe.data.sentences import split_sentences

WORDS = (4, 60)
"""Shortest and longest sentence, in words."""
PLAIN = 0.8
"""Least share of a sentence's words that are words, not names of code or formulas."""
KEPT = 0.6
"""Least share of a paragraph, in characters, that must be good sentences."""
LONE = 8
"""Shortest sentence that is a paragraph of its own and no summary, in words."""

_INLINE = tuple(
    (mark, re.compile(pattern), replacement)
    for mark, pattern, replacement in (
        (":math:", r":math:`([\w.,+-]+)`", r"\1"),
        (":`", r":(?:[a-z]+:)?(?:math|eq|cite(?:[a-z]+)?):`[^`]*`", "^"),
        (":`", r"(?::[a-z]+)?:[a-z]+:`[~!.]*([^`<]*?)(?:\s*<[^`>]*>)?`", r"\1"),
        (">`", r"`([^`<]+?)\s*<[^`>]*>`_{0,2}", r"\1"),
        ("](", r"!?\[([^\]]*)\]\([^)]*\)", r"\1"),
        ("[`", r"\[`[~.]*([^`]*)`\]", r"\1"),
        ("]_", r"\s*\[[\w*#-]+\]_", ""),
        ("'", r"`([^`'\s]+)'", r"\1"),
        ("`", r"``?[~.]?([^`]*)``?_{0,2}", r"\1"),
        ("$", r"\$([\w()+ -]+)\$", r"\1"),
        ("*", r"(?<![\w*])(\*{1,3})(?=\S)([^*]+)(?<=\S)\1(?![\w*])", r"\2"),
        ("_", r"(?<!\w)_(?=[^\W_])([^_]+)(?<=[^\W_])_(?!\w)", r"\1"),
        ("\\ ", r"\\ ", ""),
        ("- ", r"(?<=\w)- (?=\w+(?:ed|ing)\b)", "-"),
        (" ", r" +([.,;:?!])(?=\s|$)", r"\1"),
    )
)
"""What to look for, which pattern there is markup, and what is left of it."""
_FOREIGN = re.compile(
    r"[\\{}<>|^~$@`]|://|::|--|\.\.|…|==|%\(|\[[A-Z]+\]|\b(?:www|TODO|XXX|FIXME)\b"
)
_WORD = re.compile(r"[^\W\d_]+(?:['’/-][^\W\d_]+)*")
_NUMBER = re.compile(r"[-+]?\d+(?:[.,:-]\d+)*(?:%|-?[a-z]+)?")
_EDGES = "()\"'“”‘’.,;:?!"


def prose_sentences(block: str, *, opening: bool = False) -> tuple[str, ...]:
    """Return the sentences of a block of technical text, or none if it is hardly prose.

    Args:
        block: One paragraph, markup and all.
        opening: Whether it is the summary that opens a docstring. There the full stop is
            often left out, and an imperative or a phrase will do; elsewhere a lone
            sentence needs a verb.

    >>> prose_sentences("It is in the `*Guide* <x.html>`_, too. Read all of it there. f(x)")
    ('It is in the Guide, too.', 'Read all of it there.')
    """
    # Most blocks are names and types, too short for any sentence.
    if block.count(" ") < WORDS[0] - 1:
        return ()
    for mark, pattern, replacement in _INLINE:
        if mark in block:
            block = pattern.sub(replacement, block)
    if opening and block.endswith(":"):
        block = block[:-1]
    if block[-1:].isalpha() and (opening or ". " in block):
        block += "."
    sentences = split_sentences(block)
    good = tuple(sentence for sentence in sentences if _is_prose(sentence))
    if not good or sum(map(len, good)) < KEPT * sum(map(len, sentences)):
        return ()
    return good if opening or len(good) > 1 or _stands_alone(*good) else ()


def _is_prose(sentence: str) -> bool:
    words = [word.strip(_EDGES) for word in sentence.split()]
    if not WORDS[0] <= len(words) <= WORDS[1] or not _is_closed(sentence):
        return False
    if _FOREIGN.search(sentence) or FUNCTION_WORDS.isdisjoint(map(str.lower, words)):
        return False
    return sum(map(_is_plain, words)) >= PLAIN * len(words)


def _stands_alone(sentence: str) -> bool:
    words = sentence.split()
    # Without a comma, `If the file is missing.` is half a sentence.
    half = words[0] in ("If", "When", "Whether") and "," not in sentence
    return len(words) >= LONE and not half and not VERBS.isdisjoint(words)


def _is_closed(sentence: str) -> bool:
    """Say whether a sentence has a beginning, an end, and both of each pair of brackets."""
    return (
        sentence.lstrip("\"'“‘(")[:1].isupper()
        and sentence.rstrip("\"'”’)")[-1:] in (".", "!", "?")
        and sentence.count("(") == sentence.count(")")
        and sentence.count('"') % 2 == 0
    )


def _is_plain(word: str) -> bool:
    if _NUMBER.fullmatch(word):
        return True
    # Camel case is a name of code.
    return bool(_WORD.fullmatch(word)) and (word[1:].islower() or word.isupper() or len(word) == 1)
