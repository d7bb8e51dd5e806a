"""The Python files that are on every machine, and the texts in them."""

import ast
import platform
import sysconfig
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from posprobe.core.errors import CorpusError
from posprobe.data.docstrings import docstrings

STANDARD = "python"
PACKAGES = (
    STANDARD,
    *("numpy", "scipy", "pandas", "sklearn", "torch", "matplotlib", "numba", "transformers"),
    *("huggingface_hub", "transformer_lens", "datasets", "accelerate", "wandb", "sympy"),
    *("networkx", "plotly", "PIL", "fontTools", "pydantic", "jinja2", "rich"),
)
"""What posprobe depends on, and what that depends on, where there is much to read.

A fixed list, so that the corpus does not depend on what else is installed.
"""
DISTRIBUTIONS = {"sklearn": "scikit-learn", "PIL": "pillow"}
"""Names under which packages are installed, where they differ."""
LEFT_OUT = frozenset(
    (
        *("test", "tests", "testing", "_testing", "idle_test", "site-packages", "dist-packages"),
        *("_vendor", "vendor", "vendored", "externals", "extern"),
    )
)
"""Folders with tests, and with copies of other packages."""
SHORTEST = 75
"""Words that fill 128 positions."""


def installed_name(packages: tuple[str, ...] = PACKAGES) -> str:
    """Name the packages with their versions, as a report quotes them.

    Raises:
        CorpusError: If a package is not installed.
    """
    named = []
    for package in packages:
        package_folder(package)
        if package == STANDARD:
            named.append(f"Python {platform.python_version()}")
        else:
            name = DISTRIBUTIONS.get(package, package)
            named.append(f"{name} {version(name)}")
    return f"docstrings of {', '.join(named)}"


def package_folder(package: str) -> Path:
    """Find where a package is installed, without importing it.

    Raises:
        CorpusError: If it is not.
    """
    if package == STANDARD:
        return Path(sysconfig.get_path("stdlib"))
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise CorpusError(f"installed text: package {package} is not installed; leave it out")
    return Path(next(iter(spec.submodule_search_locations)))


def module_texts(packages: tuple[str, ...]) -> Iterator[tuple[str, Iterator[str]]]:
    """Go through the modules of packages in the order of their paths; none is run.

    Args:
        packages: Import names of packages; `python` is the standard library.

    Returns:
        The name of each module and its docstrings, in its order; of the module that holds
        Python's manual, the chapters.

    Raises:
        CorpusError: At once, if a package is not installed.
    """
    return _walk([(package, package_folder(package)) for package in packages])


def _walk(folders: list[tuple[str, Path]]) -> Iterator[tuple[str, Iterator[str]]]:
    for package, folder in folders:
        for path in sorted(folder.rglob("*.py")):
            place = path.relative_to(folder)
            if LEFT_OUT.isdisjoint(place.parts):
                manual = path.parent.name == "pydoc_data"
                name = ".".join((package, *place.with_suffix("").parts))
                yield name, _topics(path) if manual else docstrings(path)


def _topics(path: Path) -> Iterator[str]:
    """Give the chapters of Python's manual, which the standard library keeps in a table."""
    for statement in ast.parse(path.read_bytes()).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Dict):
            yield from ast.literal_eval(statement.value).values()
