"""The paragraphs of a docstring, without its code, headings, tables and names of parameters."""

import re
from collections.abc import Iterator

Line = tuple[int, str]
"""How far a line is indented, and its text; empty for an empty line."""

ADMONITIONS = ("note", "warning", "tip", "important", "caution", "hint", "attention")
"""Directives whose body is prose."""
SKIPPED = ("references", "see also", "examples", "example", "usage", "methods", "citation")
"""Sections that hold code, names or books, hardly any prose."""

_DIRECTIVE = re.compile(r"\.\.(?:\s+(?:([\w:-]+)::)?\s*(.*))?$")
_UNDERLINE = re.compile(r"([-=~^*#+\"'`_.])\1{2,}")
_RULE = re.compile(r"\+[-=+]{3,}|[|].*[|]|={2,}(?:\s+={2,})+|-{2,}(?:\s+-{2,})+")
_SECTION = re.compile(r"([A-Z][a-z]*(?: [a-z]+){0,2})\s*:{1,2}|\W*\b(Examples?)\b\W*")
_TERM = re.compile(r"[\w.*`, ]+ : .*")
_BULLET = re.compile(r"(?:[-*+•]|\(?(?:\d{1,2}|[a-z])[.)]|#\.)\s+(?=\S)")
_FIELD = re.compile(r":[a-z]+(?:\s+[^:]+)?:\s*")
_NAME = re.compile(r"[`*]*[\w.]+[`*]*(?:, [`*]*[\w.]+[`*]*)*(?:\s*\(.*?\))?\s*:(?:\s+|$)")
_ITEMS = (_BULLET, _FIELD, _NAME)


def prose_blocks(docstring: str) -> Iterator[str]:
    r"""Give the paragraphs, list items and descriptions of a docstring, each in one line.

    Reads what is common in reStructuredText, in the styles of NumPy and Google, and in
    Markdown. Left out: headings, doctests, literal and fenced blocks, tables, directives
    other than admonitions, names and types of parameters, and the sections `SKIPPED`.
    What these rules miss is caught by the sentences that it does not make.

    Args:
        docstring: With its indentation removed, as by `inspect.cleandoc`.

    >>> list(prose_blocks("Add numbers.\n\nArgs:\n    a: The first\n        of them."))
    ['Add numbers.', 'The first of them.']
    """
    lines = list(_without_code(docstring.expandtabs().splitlines()))
    block: list[str] = []
    base = inner = 0
    hanging = False
    for indent, text in _without_sections(lines):
        start = _item_start(text)
        if block and (not text or start or not _continues(indent, text, base, inner, hanging)):
            yield " ".join(block).strip()
            block = []
        if not text:
            continue
        if not block:
            base, hanging = indent, bool(start)
        inner = indent
        block.append(text[start:])
    if block:
        yield " ".join(block).strip()


def _continues(indent: int, text: str, base: int, inner: int, hanging: bool) -> bool:
    if indent > base:
        return hanging or indent == inner or text[0].islower()
    return indent == base and (not hanging or text[0].islower())


def _item_start(text: str) -> int:
    """Return where the words of a list item or a description begin; 0 for other lines."""
    return next((match.end() for rule in _ITEMS if (match := rule.match(text))), 0)


def _without_code(lines: list[str]) -> Iterator[Line]:
    """Leave out doctests, fenced and literal blocks, and directives with their body."""
    fenced = doctest = False
    body: int | None = None
    for line in lines:
        text, indent = line.strip(), len(line) - len(line.lstrip())
        if text.startswith(("```", "~~~")):
            fenced = not fenced
            text = ""
        doctest = bool(text) and (doctest or text.startswith(">>>"))
        if body is not None and text and indent <= body:
            body = None
        if not text or fenced or doctest or body is not None:
            yield 0, ""
            continue
        directive = _DIRECTIVE.match(text)
        if directive and directive[1] in ADMONITIONS:
            # As an item of a list, so that the lines below it belong to it.
            yield 0, ""
            text = f"- {directive[2]}" if directive[2] else ""
        elif directive or text.endswith("::"):
            body = indent
            text = "" if directive else text[:-1]
        yield indent, text


def _without_sections(lines: list[Line]) -> Iterator[Line]:
    """Leave out headings and rules, and all of a section that holds no prose."""
    skipped: int | None = None
    rest = False
    for (indent, text), (_, following) in zip(lines, [*lines[1:], (0, "")], strict=True):
        if _UNDERLINE.fullmatch(following) and text:
            rest = text.lower().rstrip(":") in SKIPPED
            skipped, text = None, ""
        elif skipped is not None and text and indent <= skipped:
            skipped = None
        if heading := _SECTION.fullmatch(text):
            name = heading[1] or heading[2]
            skipped = indent if name.lower() in SKIPPED else skipped
            text = ""
        if rest or skipped is not None or _UNDERLINE.fullmatch(text) or _RULE.fullmatch(text):
            text = ""
        yield (indent, "" if _TERM.fullmatch(text) else text)
