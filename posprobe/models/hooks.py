"""Hook points by name."""

from collections.abc import Iterable
from typing import cast

from torch import nn
from transformer_lens.hook_points import HookPoint


def add_hooks(module: nn.Module, names: Iterable[str]) -> None:
    """Give a module hook points called `names`."""
    for name in names:
        module.add_module(name, HookPoint())


def hook_at(module: nn.Module, name: str) -> HookPoint:
    """Return a module's hook point called `name`."""
    return cast(HookPoint, module.get_submodule(name))


def is_heard(hook: HookPoint) -> bool:
    """Tell whether anybody listens to a hook point, forwards or backwards."""
    return hook.has_hooks(dir="fwd") or hook.has_hooks(dir="bwd")
