"""One residual stream or two side by side, behind the same few lines."""

from collections.abc import Callable, Mapping

import torch
from jaxtyping import Float
from torch import Tensor, nn
from transformer_lens.hook_points import HookPoint

from posprobe.models.hooks import add_hooks, hook_at, is_heard

State = tuple[Float[Tensor, "batch pos _"], ...]
"""The residual stream, one tensor per stream."""


class Streams(nn.Module):
    """A module whose hooks see the whole state, and each stream by its suffix.

    A model with one stream has `hook_resid_post`; one with the streams `ap` and `sem` has
    `hook_resid_post_ap` and `hook_resid_post_sem` too. The whole is put together only when
    somebody listens to it.
    """

    def __init__(self, widths: Mapping[str, int], hooks: tuple[str, ...]) -> None:
        super().__init__()
        self.widths = dict(widths)
        add_hooks(self, (name + suffix for name in hooks for suffix in ("", *self._suffixes())))

    def _suffixes(self) -> tuple[str, ...]:
        return tuple(f"_{stream}" for stream in self.widths) if len(self.widths) > 1 else ()

    def at(self, hook: str, state: State) -> State:
        """Show a state to the listeners of `hook`; what they return goes on."""
        if suffixes := self._suffixes():
            state = tuple(
                hook_at(self, hook + suffix)(x) for suffix, x in zip(suffixes, state, strict=True)
            )
        whole = hook_at(self, hook)
        if len(state) == 1:
            return (whole(state[0]),)
        if is_heard(whole):
            return split(whole(torch.cat(state, dim=-1)), self.widths)
        return state


class StreamNorm(Streams):
    """A norm per stream."""

    def __init__(self, widths: Mapping[str, int], make: Callable[[int], nn.Module]) -> None:
        super().__init__(widths, ("hook_normalized",))
        self.norm = nn.ModuleDict({stream: make(width) for stream, width in widths.items()})

    def forward(self, state: State) -> State:
        """Normalise each stream by itself."""
        normed = tuple(norm(x) for norm, x in zip(self.norm.values(), state, strict=True))
        return self.at("hook_normalized", normed)


class SwiGLU(nn.Module):
    """A gated feed-forward layer: SiLU of one projection times another, projected back."""

    def __init__(self, d_in: int, d_mlp: int) -> None:
        super().__init__()
        self.gate_up = nn.Linear(d_in, 2 * d_mlp, bias=False)
        self.down = nn.Linear(d_mlp, d_in, bias=False)
        self.hook_post = HookPoint()

    def forward(self, x: Float[Tensor, "batch pos d_in"]) -> Float[Tensor, "batch pos d_in"]:
        """Apply the layer to each token."""
        gate, up = self.gate_up(x).chunk(2, dim=-1)
        return self.down(self.hook_post(nn.functional.silu(gate) * up))


class StreamMlp(nn.Module):
    """One SwiGLU over the streams side by side, which mixes them, or one for each.

    Args:
        widths: Width by stream.
        hidden: Hidden width by stream; a single entry is one layer over all of them.
    """

    def __init__(self, widths: Mapping[str, int], hidden: Mapping[str, int]) -> None:
        super().__init__()
        self.widths = dict(widths)
        total = sum(widths.values())
        self.part = nn.ModuleDict(
            {name: SwiGLU(widths.get(name, total), d_mlp) for name, d_mlp in hidden.items()}
        )

    def forward(self, state: State) -> State:
        """Apply the layer, or each stream's own layer."""
        if len(self.part) == len(state):
            return tuple(part(x) for part, x in zip(self.part.values(), state, strict=True))
        (mixed,) = self.part.values()
        return split(mixed(torch.cat(state, dim=-1)), self.widths)


def split(whole: Float[Tensor, "batch pos d_model"], widths: Mapping[str, int]) -> State:
    """Cut a whole state into its streams."""
    return whole.split(tuple(widths.values()), dim=-1)


def add(left: State, right: State) -> State:
    """Add two states stream by stream."""
    return tuple(a + b for a, b in zip(left, right, strict=True))
