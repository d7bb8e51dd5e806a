"""Sorts heads by what their logits are made of, and says whether they fall into groups."""

import numpy as np
from jaxtyping import Float, Int

from posprobe.core.errors import UserError

CLASSES = ("structure", "semantic", "relative", "mixed", "undefined")
CLASS_OF_TERM = {"ap": "structure", "sem": "semantic", "rp": "relative"}


def classify(
    share: Float[np.ndarray, "layer head term"], terms: tuple[str, ...], *, threshold: float = 0.6
) -> tuple[tuple[str, ...], ...]:
    """Name each head after the term that has the largest share, if it is large enough.

    Args:
        share: Shares of the terms in the logits; NaN where the logits do not vary.
        terms: Names of the terms: `ap`, `sem`, `rp`.
        threshold: The share from which the largest term names the head, above 0.

    Returns:
        A class of `CLASSES` per head, `[layer][head]`.

    Raises:
        UserError: If the threshold is not a positive number.

    >>> classify(np.array([[[0.7, 0.3], [0.5, 0.5]]]), ("ap", "sem"))
    (('structure', 'mixed'),)
    """
    if not threshold > 0:
        raise UserError(f"threshold={threshold}: want a share above 0, such as 0.6")
    names = tuple(CLASS_OF_TERM[term] for term in terms)
    return tuple(tuple(_class_of(head, names, threshold) for head in layer) for layer in share)


def _class_of(head: Float[np.ndarray, " term"], names: tuple[str, ...], threshold: float) -> str:
    if np.isnan(head).any():
        return "undefined"
    largest = int(np.argmax(head))
    return names[largest] if head[largest] >= threshold else "mixed"


def count_classes(classes: tuple[tuple[str, ...], ...]) -> dict[str, int]:
    """Return the number of heads in each class, in the order of `CLASSES`."""
    flat = [name for layer in classes for name in layer]
    return {name: flat.count(name) for name in CLASSES}


def two_groups(values: Float[np.ndarray, " sample"]) -> tuple[float, float]:
    """Say how cleanly numbers fall into two groups, and where the cut is.

    The cut is the one that puts the most variance between the groups; the share of the
    variance that it puts there is Otsu's η². Two points give 1, evenly spread numbers 0.75.

    Args:
        values: Any finite numbers.

    Returns:
        The share (0 to 1) and the cut; NaN both where the numbers are all equal.

    >>> two_groups(np.array([0.0, 0.0, 1.0, 1.0]))
    (1.0, 0.5)
    """
    ordered = np.sort(values)
    if len(ordered) < 2 or ordered[0] == ordered[-1]:
        return float("nan"), float("nan")
    left = np.arange(1, len(ordered))
    right = len(ordered) - left
    centred = ordered - ordered.mean()
    sums = np.cumsum(centred)[:-1]
    # The two groups' sums are opposite, since the whole is centred. No best cut runs through
    # equal numbers: between variance is convex along them.
    between = sums**2 * (1 / left + 1 / right)
    best = int(np.argmax(between))
    share = min(1.0, float(between[best] / (centred**2).sum()))
    return share, float((ordered[best] + ordered[best + 1]) / 2)


def histogram(
    values: Float[np.ndarray, " sample"],
) -> tuple[Int[np.ndarray, "20"], Float[np.ndarray, "21"]]:
    """Count shares in 20 bins from −0.2 to 1.2; what lies beyond goes to the outer bins."""
    edges = np.linspace(-0.2, 1.2, 21)
    return np.histogram(np.clip(values, edges[0], edges[-1]), bins=edges)[0], edges
