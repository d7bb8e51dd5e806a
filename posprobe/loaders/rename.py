"""From one code's parameter names to another's, by table."""

import re
from collections.abc import Mapping

from torch import Tensor


def rename(state: Mapping[str, Tensor], names: Mapping[str, str]) -> dict[str, Tensor]:
    """Rename tensors; `{i}` in a name stands for a layer's number.

    A tensor that the table does not know keeps its name, so that it is reported, not dropped.

    >>> from torch import zeros
    >>> state = {"h.3.mlp.w": zeros(1), "odd": zeros(1)}
    >>> list(rename(state, {"h.{i}.mlp.w": "blocks.{i}.up"}))
    ['blocks.3.up', 'odd']
    """
    renamed = {}
    for name, tensor in state.items():
        number = re.search(r"\.(\d+)\.", name)
        layer = number.group(1) if number else ""
        generic = name.replace(f".{layer}.", ".{i}.", 1) if number else name
        renamed[names.get(generic, name).replace("{i}", layer)] = tensor
    return renamed
