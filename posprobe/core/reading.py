"""From plain JSON values back to the dataclasses they were written from."""

from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from jaxtyping import AbstractArray

from posprobe.core.errors import UserError


def from_plain(kind: Any, value: Any, *, where: str = "value") -> Any:
    """Read a value that `plain` and `strict_json` wrote, guided by the type it shall have.

    Nothing is guessed: an unknown or missing field, a word in place of a number or an array of
    another shape is an error. A field with a default may be missing, so that files written
    before the field was added can still be read. null is NaN where a number is meant.

    Args:
        kind: The type: a dataclass, a scalar, a union with None, a Literal, a tuple, a list, a
            dict with names as keys, a jaxtyping array, or Any.
        value: What `json.loads` returned.
        where: What to call the place in an error.

    Raises:
        UserError: If the value is not of that type; names the place.

    >>> from_plain(tuple[float, ...], [1, None])
    (1.0, nan)
    """
    if kind is Any:
        return value
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _union(parts, value, where)
    if origin is Literal:
        _require(value in parts, value, parts, where)
        return value
    if origin in (tuple, list):
        return _sequence(origin, parts, value, where)
    if origin is dict:
        _require(isinstance(value, dict), value, "names with values", where)
        return {key: from_plain(parts[1], v, where=f"{where}.{key}") for key, v in value.items()}
    if is_dataclass(kind):
        return _dataclass(kind, value, where)
    if isinstance(kind, type) and issubclass(kind, AbstractArray):
        return _array(kind, value, where)
    return _scalar(kind, value, where)


def _union(parts: tuple[Any, ...], value: Any, where: str) -> Any:
    if value is None and NoneType in parts:
        return None
    errors = []
    for part in parts:
        if part is NoneType:
            continue
        try:
            return from_plain(part, value, where=where)
        except UserError as error:
            errors.append(error)
    raise errors[0]


def _sequence(origin: type, parts: tuple[Any, ...], value: Any, where: str) -> Any:
    _require(isinstance(value, list), value, "a list", where)
    if origin is list or parts[1:] == (...,):
        parts = (parts[0],) * len(value)
    _require(len(value) == len(parts), f"{len(value)} values", f"{len(parts)} values", where)
    pairs = enumerate(zip(parts, value, strict=True))
    return origin(from_plain(part, item, where=f"{where}[{i}]") for i, (part, item) in pairs)


def _dataclass(kind: Any, value: Any, where: str) -> Any:
    _require(isinstance(value, dict), value, f"the fields of {kind.__name__}", where)
    known = {field.name: field for field in fields(kind)}
    if unknown := sorted(set(value) - set(known)):
        raise UserError(f"{where}: has {unknown}, which this version does not know")
    needed = [n for n, f in known.items() if f.default is MISSING and f.default_factory is MISSING]
    if missing := sorted(set(needed) - set(value)):
        raise UserError(f"{where}: lacks {missing}")
    kinds = _hints(kind)
    found = {n: from_plain(kinds[n], v, where=f"{where}.{n}") for n, v in value.items()}
    return kind(**found)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _array(kind: Any, value: Any, where: str) -> np.ndarray:
    expected = f"an array [{kind.dim_str}]"
    try:
        given = np.array(value)
    except ValueError:
        raise UserError(f"{where}: expected {expected}, found lists of unequal lengths") from None
    whole = "int64" in kind.dtypes
    if given.dtype == object:  # null among the numbers
        numbers = not whole and all(_is_number(item) for item in given.flat)
    else:
        numbers = not given.size or given.dtype.kind in ("iu" if whole else "iuf")
    _require(numbers, "something else", expected, where)
    array = given.astype(np.int64 if whole else np.float64)
    if not array.size and array.ndim < len(kind.dims):
        # An array without rows is written as [], whatever its other axes were.
        array = array.reshape((0,) * len(kind.dims))
    _require(isinstance(array, kind), f"shape {array.shape}", expected, where)
    return array


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _scalar(kind: Any, value: Any, where: str) -> Any:
    if kind is float:
        _require(_is_number(value), value, "a number", where)
        return float("nan") if value is None else float(value)
    right = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    _require(right, value, kind.__name__, where)
    return value


def _require(right: bool, found: Any, expected: Any, where: str) -> None:
    if not right:
        raise UserError(f"{where}: expected {expected}, found {str(found)[:60]!r}")
