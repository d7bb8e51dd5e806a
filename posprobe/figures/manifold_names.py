"""What to call manifolds that stand beside each other."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from posprobe.analysis.manifold import Manifold
from posprobe.figures.sites import place


def named(items: tuple[Manifold, ...]) -> tuple[Manifold, ...]:
    """Return the same manifolds with labels that tell each from the others.

    A label has the parts that differ: the checkpoint's label, the site and the layer.

    Args:
        items: Manifolds of one result.
    """
    labels = _unique(items, lambda item: item.label)
    if len(set(labels)) < len(items):
        labels = _unique(items, lambda item: item.checkpoint)
    seen: Counter[str] = Counter()
    found = []
    for item, label in zip(items, labels, strict=True):
        seen[label] += 1
        again = f" ({seen[label]})" if seen[label] > 1 else ""
        found.append(replace(item, label=label + again))
    return tuple(found)


def group_name(item: Manifold) -> str:
    """Return what the layers of one checkpoint and one stream have in common.

    Args:
        item: One of the manifolds that `named` returned.
    """
    stem = item.label.removesuffix(f"layer {item.layer}").removesuffix(", ")
    return stem or place(item.site)


def _unique(items: tuple[Manifold, ...], owner: Callable[[Manifold], str]) -> list[str]:
    owners = len({owner(item) for item in items}) > 1
    places = len({place(item.site) for item in items}) > 1
    layers = len({item.layer for item in items}) > 1
    names = []
    for item in items:
        parts = [owner(item)] if owners else []
        parts += [place(item.site)] if places else []
        parts += [f"layer {item.layer}"] if layers and item.layer is not None else []
        names.append(", ".join(parts) or item.label)
    return names
