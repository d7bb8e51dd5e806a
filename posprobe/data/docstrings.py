"""The docstrings of a Python file, read without running it."""

import ast
import gc
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path

DOCUMENTING = ("add_docstr", "add_docstr_all", "add_newdoc")
"""Functions by which packages attach texts to what is written in C."""

_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


def docstrings(path: Path) -> Iterator[str]:
    """Give the docstrings of a file in its order, without their indentation.

    First the module's, then those of its classes, methods and functions, and the texts
    that it attaches to compiled functions. Functions inside functions are left out. A
    file that this Python cannot parse has none.

    Args:
        path: A Python file.
    """
    tree = _parse(path)
    if tree is not None:
        yield from _of_body(tree)


def _parse(path: Path) -> ast.Module | None:
    collecting = gc.isenabled()
    # A syntax tree has no cycles; looking for some would take a quarter of the time.
    gc.disable()
    try:
        source = path.read_bytes()
        # Parsing is slow; a file without these marks has no docstring worth reading.
        return ast.parse(source) if b'"""' in source or b"'''" in source else None
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    finally:
        if collecting:
            gc.enable()


def _of_body(node: ast.Module | ast.ClassDef) -> Iterator[str]:
    yield from _own(node)
    for statement in _statements(node.body):
        if isinstance(statement, ast.ClassDef):
            yield from _of_body(statement)
        elif isinstance(statement, _FUNCTION):
            yield from _own(statement)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            yield from _attached(statement.value)


def _own(node: ast.Module | ast.ClassDef | _FUNCTION) -> Iterator[str]:
    text = ast.get_docstring(node)
    if text:
        yield text


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Give the statements of a block, and those under an `if` or a `try`."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If | ast.Try):
            yield from _statements(statement.body)
            yield from _statements(statement.orelse)


def _attached(call: ast.Call) -> Iterator[str]:
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name in DOCUMENTING:
        for argument in call.args:
            for node in ast.walk(argument):
                # Names of functions are strings, too; a text has several words.
                if isinstance(node, ast.Constant) and " " in str(node.value):
                    yield cleandoc(str(node.value))
