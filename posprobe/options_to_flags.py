"""From a dataclass of options to the flags of a command."""

import inspect
from collections.abc import Callable
from dataclasses import Field, fields
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from posprobe.core.errors import UserError
from posprobe.core.options import LoadOptions, MeasureOptions

Command = Callable[..., None]


def with_options(options: type[LoadOptions]) -> Callable[[Command], Command]:
    """Give a command one flag for each field of a dataclass.

    A field is `Annotated` with its help text, and with another name of its flag if it has one.
    A field that holds several values takes them joined by commas, or the flag again. The command
    takes them as keyword arguments, after its own parameters.

    Args:
        options: The dataclass.
    """
    added = {field.name: _flag(field, kind) for field, kind in _annotated(options)}
    general = [field.name for field in fields(MeasureOptions) if field.name in added]
    lists = {f.name: _item(kind) for f, kind in _annotated(options) if f.default == ()}

    def decorate(command: Command) -> Command:
        def call(**values: Any) -> None:
            for name, item in lists.items():
                values[name] = _split(name, values[name], item)
            command(**values)

        own = inspect.signature(command)
        kept = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        # What is special to the command comes first, what all commands share last.
        special = [flag for name, flag in added.items() if name not in general]
        parameters = [*special, *kept, *(added[name] for name in general)]
        parameters = [p.replace(kind=p.KEYWORD_ONLY) for p in parameters]
        call.__name__, call.__doc__ = command.__name__, command.__doc__
        call.__annotations__ = {p.name: p.annotation for p in parameters}
        call.__dict__["__signature__"] = own.replace(parameters=parameters)
        return call

    return decorate


def _annotated(options: type[LoadOptions]) -> list[tuple[Field[Any], Any]]:
    kinds = get_type_hints(options, include_extras=True)
    return [(field, kinds[field.name]) for field in fields(options)]


def _flag(field: Field[Any], kind: Any) -> inspect.Parameter:
    value, text, *more = get_args(kind)
    default, metavar = field.default, None
    names = ["--" + field.name.replace("_", "-"), *more]
    if get_origin(value) is tuple:
        # Typer repeats a flag for a list; the options themselves are frozen, so hold a tuple.
        metavar = "NAME,…" if _item(kind) is str else "N,…"
        value, default = list[str], []
    elif default is True:
        names = [f"{names[0]}/{names[0].replace('--', '--no-')}"]
    flag = typer.Option(*names, help=text, metavar=metavar)
    return inspect.Parameter(
        field.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[value, flag],
    )


def _item(kind: Any) -> type:
    return get_args(get_args(kind)[0])[0]


def _split(name: str, given: list[str], item: type) -> tuple[Any, ...]:
    parts = [part.strip() for text in given for part in text.split(",")]
    try:
        return tuple(item(part) for part in parts if part)
    except ValueError:
        raise UserError(f"--{name} {','.join(given)}: want whole numbers") from None
