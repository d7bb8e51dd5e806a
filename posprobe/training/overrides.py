"""Settings from the command line: `lr=3e-4`, `model.n_layers=2`."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from posprobe.core.errors import UserError

C = TypeVar("C")


def override(config: C, pairs: Sequence[str]) -> C:
    """Return a config with some settings replaced, all at once.

    Args:
        config: A frozen dataclass; a setting that is itself one is reached by a dot.
        pairs: `key=value`; several numbers are written `1,2,3`.

    Raises:
        UserError: If a key is unknown or a value is of the wrong kind.
    """
    asked: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals:
            raise UserError(f"--set {pair}: write key=value")
        key, text = key.strip(), text.strip()
        *parents, name = key.split(".")
        owner, place = config, asked
        for parent in parents:
            owner, place = _enter(owner, parent, key), place.setdefault(parent, {})
        place[name] = _parse(_hint(owner, name, key), text, key)
    return _replace(config, asked)


def _enter(owner: Any, name: str, key: str) -> Any:
    _hint(owner, name, key)
    inner = getattr(owner, name)
    if not is_dataclass(inner):
        raise UserError(f"--set {key}: {name} has no settings of its own")
    return inner


def _hint(owner: Any, name: str, key: str) -> Any:
    known = [field.name for field in fields(owner)]
    if name not in known:
        raise UserError(f"--set {key}: no setting {name!r}; there are: {', '.join(known)}")
    return get_type_hints(type(owner))[name]


def _replace(config: Any, asked: Mapping[str, Any]) -> Any:
    values = {
        name: _replace(getattr(config, name), value) if isinstance(value, dict) else value
        for name, value in asked.items()
    }
    return replace(config, **values)


def _parse(hint: Any, text: str, key: str) -> Any:
    if get_origin(hint) is Literal:
        if text not in get_args(hint):
            raise UserError(f"--set {key}={text}: must be one of {', '.join(get_args(hint))}")
        return text
    if get_origin(hint) is tuple:
        return tuple(_parse(get_args(hint)[0], part, key) for part in text.split(",") if part)
    if hint is bool:
        if text.lower() not in ("true", "false"):
            raise UserError(f"--set {key}={text}: must be true or false")
        return text.lower() == "true"
    if hint in (int, float, str):
        try:
            return hint(text)
        except ValueError:
            kind = "a whole number" if hint is int else "a number"
            raise UserError(f"--set {key}={text}: must be {kind}") from None
    raise UserError(f"--set {key}: is a group; set its parts, such as {key}.{_example(hint)}=...")


def _example(hint: Any) -> str:
    return fields(get_args(hint)[0])[0].name
