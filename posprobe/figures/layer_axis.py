"""The axis of the layers."""

from collections.abc import Iterable

from posprobe.figures.description import Axis

_MARGIN = 0.4


def layer_axis(layers: Iterable[int], *, ticks: int = 13) -> Axis:
    """Return an axis with a tick at each layer, or at every second, third, … of many.

    Args:
        layers: At least one; −1 is the token embedding.
        ticks: Most ticks.

    >>> axis = layer_axis([1, -1, 0])
    >>> axis.ticks, axis.tick_labels
    ((-1.0, 0.0, 1.0), ('emb.', '0', '1'))
    """
    found = sorted(set(layers))
    shown = found[:: 1 + (len(found) - 1) // ticks]
    return Axis(
        label="layer",
        ticks=tuple(float(layer) for layer in shown),
        tick_labels=tuple("emb." if layer == -1 else str(layer) for layer in shown),
        low=found[0] - _MARGIN,
        high=found[-1] + _MARGIN,
    )
