"""From a TOML file to the cells of a grid."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from typing import Any, get_origin, get_type_hints

from posprobe.analysis.sweep import Setting
from posprobe.core.errors import UserError
from posprobe.core.options import RunOptions
from posprobe.core.reading import from_plain
from posprobe.core.references import find_local, hub_id
from posprobe.loaders import is_configuration
from posprobe.models.config import NAMED_CONFIGS
from posprobe.pipeline.applying import APPLIED
from posprobe.pipeline.report_options import NEEDS_DATA
from posprobe.pipeline.sweeping.stages import require_cuttable

OPTIONS: dict[str, type[RunOptions]] = {
    name: applied.options for name, applied in APPLIED.items() if name != NEEDS_DATA
}
"""The options of each measure that a sweep can have."""
SHIPPED = Path(__file__).resolve().parents[2] / "data" / "sweeps"
"""Where the specs lie that come with posprobe."""

_CHECKPOINTS, _LAYERS, _WIDTH, _PARTS = "checkpoints", "layers", "width", "parts"
_MODELS = (_CHECKPOINTS, _LAYERS, _WIDTH)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One measure at one setting: a job of its own.

    Attributes:
        measure: Which measure.
        ref: The checkpoint or configuration.
        options: The options given for it.
        at: The setting, for each axis of its grid.
        parts: Into how many parts its corpus is cut, each a job of its own.
    """

    measure: str
    ref: str
    options: dict[str, Any]
    at: dict[str, Setting]
    parts: int = 1


@dataclass(frozen=True, kw_only=True)
class Spec:
    """A grid.

    Attributes:
        title: What it is about.
        text: The file as read, as plain values.
        cells: All cells, in order.
        axes: Names of the axes.
    """

    title: str
    text: dict[str, Any]
    cells: tuple[Cell, ...]
    axes: tuple[str, ...] = field(default=())


def read_spec(ref: str) -> Spec:
    """Read a grid and check all of it, so that a mistake costs no time.

    A table `[measure]`, or several as `[[measure]]`, holds options of that measure; what stands
    above the tables goes for every measure that has it. A list is an axis. `checkpoints` names
    the models, or `layers` and `width` the untrained ones of arXiv 2501.00073. `parts` cuts the
    corpus of each cell, so that several workers can share one; it is no axis.

    Args:
        ref: A path, or the name of a spec that ships.

    Raises:
        UserError: If there is no such file, or something in it is not known; names the place.
    """
    path = _locate(ref)
    try:
        text = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot be read as TOML: {error}") from error
    title = text.get("title", path.stem)
    if not isinstance(title, str):
        raise UserError(f"{path}: title: expected a text, found {title!r}")
    grids = [
        cell
        for measure, table, where in _tables(text, path)
        for cell in _cells(measure, table, where)
    ]
    axes = tuple(dict.fromkeys(name for cell in grids for name in cell.at))
    return Spec(title=title, text=text, cells=tuple(grids), axes=axes)


def shipped_specs() -> list[str]:
    """List the names of the specs that ship."""
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def _locate(ref: str) -> Path:
    if Path(ref).is_file():
        return Path(ref)
    if ref in shipped_specs():
        return SHIPPED / f"{ref}.toml"
    raise UserError(f"{ref}: no such file; specs that ship: {', '.join(shipped_specs())}")


def _tables(text: dict[str, Any], path: Path) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Pair each table with its measure, the shared options filled in."""
    shared = {name: value for name, value in text.items() if name not in (*OPTIONS, "title")}
    used = {name: value for name, value in text.items() if name in OPTIONS}
    for name, value in shared.items():
        if isinstance(value, dict):
            raise UserError(f"{path}: [{name}]: no such measure; choose among {', '.join(OPTIONS)}")
        if used and not any(name in _known(measure) for measure in used):
            known = [option for measure in used for option in _known(measure)]
            raise UserError(
                f"{path}: {name}: no measure here has such an option{_near(name, known)}"
            )
    if not used:
        raise UserError(f"{path}: names no measure; add a table such as [adjacency]")
    for measure, value in used.items():
        for table in value if isinstance(value, list) else [value]:
            where = f"{path}: [{measure}]"
            if not isinstance(table, dict):
                raise UserError(f"{where}: expected a table of options, found {table!r}")
            for name in table:
                if name not in _known(measure):
                    near = _near(name, _known(measure))
                    raise UserError(f"{where} {name}: no such option{near}")
            own = _MODELS if any(name in table for name in _MODELS) else ()
            fit = {k: v for k, v in shared.items() if k in _known(measure) and k not in own}
            yield measure, fit | table, where


def _known(measure: str) -> list[str]:
    options = [each.name for each in fields(OPTIONS[measure]) if each.name != "no_cache"]
    return [*_MODELS, *options, _PARTS]


def _near(name: str, known: list[str]) -> str:
    found = get_close_matches(name, known, n=1)
    return f"; did you mean {found[0]}?" if found else f"; known: {', '.join(dict.fromkeys(known))}"


def _cells(measure: str, table: dict[str, Any], where: str) -> Iterator[Cell]:
    models = list(_models(table, where))
    kinds = get_type_hints(OPTIONS[measure])
    parts = _parts(table, where)
    given = {name: value for name, value in table.items() if name not in (*_MODELS, _PARTS)}
    axes = {name: _values(kinds[name], value, f"{where} {name}") for name, value in given.items()}
    drawn = {name for name, value in given.items() if isinstance(value, list)}
    settings = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    for (ref, model), setting in product(models, settings):
        options = dict(setting)
        if is_configuration(ref) and "init" in kinds:
            options.setdefault("init", True)  # it has no weights but random ones
        try:
            chosen = OPTIONS[measure](**options)
            if parts > 1:
                require_cuttable(chosen)
        except UserError as error:
            raise UserError(f"{where}: {error}") from error
        at = {name: _plain(value) for name, value in options.items() if name in drawn}
        yield Cell(measure=measure, ref=ref, options=options, at={**model, **at}, parts=parts)


def _parts(table: dict[str, Any], where: str) -> int:
    parts = table.get(_PARTS, 1)
    if not isinstance(parts, int) or isinstance(parts, bool) or parts < 1:
        raise UserError(f"{where} parts: expected one whole number from 1 on, found {parts!r}")
    return parts


def _models(table: dict[str, Any], where: str) -> Iterator[tuple[str, dict[str, Setting]]]:
    """List the models, each with its place on the axes."""
    if (_LAYERS in table) != (_WIDTH in table):
        raise UserError(f"{where}: name both layers and width, or checkpoints")
    if _CHECKPOINTS not in table and _LAYERS not in table:
        raise UserError(f"{where}: names no model; add checkpoints, or layers and width")
    if _CHECKPOINTS in table:
        for ref in _values(str, table[_CHECKPOINTS], f"{where} {_CHECKPOINTS}"):
            if not (find_local(ref) or ref in NAMED_CONFIGS or hub_id(ref)):
                raise UserError(f"{where} checkpoints: {ref}: no such file, folder or checkpoint")
            yield ref, {"checkpoint": ref}
    if _LAYERS in table:
        sizes = [_values(int, table[name], f"{where} {name}") for name in (_LAYERS, _WIDTH)]
        for layers, width in product(*sizes):
            ref = f"nanogpt-nope-{layers}x{width}"
            if ref not in NAMED_CONFIGS:
                known = ", ".join(sorted(NAMED_CONFIGS))
                raise UserError(f"{where}: {ref}: no such configuration; known: {known}")
            yield ref, {"layers": layers, "width": width}


def _values(kind: Any, value: Any, where: str) -> list[Any]:
    """Return the values of an option: those of a list, or the only one."""
    several = get_origin(kind) is tuple
    items = value if isinstance(value, list) else [value]
    if not items:
        raise UserError(f"{where}: is empty; an axis wants at least one value")
    found = [
        from_plain(kind, [item] if several and not isinstance(item, list) else item, where=where)
        for item in items
    ]
    if len({repr(item) for item in found}) < len(found):
        raise UserError(f"{where}: has a value twice: {items}")
    return found


def _plain(value: Any) -> Setting:
    return " ".join(map(str, value)) if isinstance(value, tuple) else value
