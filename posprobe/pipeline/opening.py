"""Opening the checkpoints that a measure runs on, and what to call them."""

from dataclasses import fields
from pathlib import Path
from typing import Any

from posprobe.core.errors import UserError
from posprobe.core.options import LoadOptions
from posprobe.core.references import find_local

# Names that say nothing without the folder they are in.
GENERIC = ("model", "checkpoint", "ckpt", "final", "weights")


def load_options(chosen: LoadOptions) -> dict[str, Any]:
    """Take from a measure's options those that `load` understands."""
    return {field.name: getattr(chosen, field.name) for field in fields(LoadOptions)}


def short_names(refs: list[str]) -> list[str]:
    """Name checkpoints as briefly as tells them apart.

    >>> short_names(["checkpoints/dstg", "lstm/model"]), short_names(["a/x", "b/x"])
    (['dstg', 'lstm/model'], ['a/x', 'b/x'])
    """
    names = [_short(Path(ref)) for ref in refs]
    return names if len(set(names)) == len(names) else refs


def step_folders(ref: str) -> list[Path]:
    """List the steps of a checkpoint's training that were kept, in order.

    Raises:
        UserError: If there are none.
    """
    folder = find_local(ref)
    steps = sorted(folder.glob("step-*")) if folder else []
    if not steps:
        raise UserError(f"{ref}: has no `step-…` folders; leave out --steps all")
    return steps


def report_folder(refs: list[str]) -> str:
    """Name the folder for the report of these checkpoints.

    >>> report_folder(["checkpoints/dstg-tiny", "openai-community/gpt2"])
    'dstg-tiny+gpt2'
    """
    names = [name.strip("/").replace("/", "-") for name in short_names(refs)]
    joined = "+".join(names)
    return joined if len(joined) <= 100 else f"{names[0][:80]}+{len(names) - 1}-more"


def _short(path: Path) -> str:
    path = path.resolve() if path.exists() else path
    name = path.stem if path.is_file() else path.name
    return f"{path.parent.name}/{name}" if name.startswith(GENERIC) else name
