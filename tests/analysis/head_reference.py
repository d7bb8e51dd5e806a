import numpy as np
import torch
from scipy.spatial.distance import jensenshannon
from scipy.special import softmax

from posprobe.analysis.head_sums import HeadSums

TERMS = ("ap", "sem", "rp")


def random_terms(batch=6, heads=2, size=7):
    scale = torch.tensor([2.0, 0.5])[:heads, None, None]
    return {
        "ap": scale * torch.randn(batch, heads, size, size),
        "sem": torch.randn(batch, heads, size, size) / scale,
        "rp": torch.randn(1, heads, size, size),
    }


def random_pairs(batch=6, size=7):
    """Some allowed pairs, with queries that have no key or a single one."""
    allowed = torch.rand(batch, size, size) < 0.7
    allowed[0, 0] = False
    allowed[1, 2] = False
    allowed[1, 2, 3] = True
    allowed[2] = False
    return allowed


def measure(terms, allowed, *, order=None, step=None, names=TERMS, groups=32):
    order = torch.arange(len(allowed)) if order is None else order
    sums = HeadSums(1, next(iter(terms.values())).shape[1], names, groups)
    for some in order.split(step or len(order)):
        batch = {name: t if len(t) == 1 else t[some] for name, t in terms.items()}
        sums.update(0, batch, allowed[some], some)
    return sums.result(checkpoint="c")


def plain(terms, allowed, head):
    """Compute everything for one head with loops over queries, in float64."""
    rows, js, reach = [], [], []
    for document in range(len(allowed)):
        for query in range(allowed.shape[1]):
            keys = np.flatnonzero(allowed[document, query].numpy())
            if len(keys) < 2:
                continue
            parts = np.array(
                [
                    terms[name][document % len(terms[name]), head, query, keys].double().numpy()
                    for name in TERMS
                ]
            )
            logits = parts.sum(axis=0)
            rows.append(parts - parts.mean(axis=1, keepdims=True))
            full, without = softmax(logits), softmax(logits - parts, axis=1)
            js.append([jensenshannon(full, other, base=2) ** 2 for other in without])
            far = np.abs(keys - query)
            reach.append([(p * w).sum() for p in (full, without[2]) for w in (far, far <= 8)])
    centred = np.concatenate(rows, axis=1)
    whole = centred.sum(axis=0)
    return {
        "share": centred @ whole / (whole @ whole),
        "fraction": (centred**2).sum(axis=1) / (centred**2).sum(),
        "variance": (whole**2).mean(),
        "divergence": np.mean(js, axis=0),
        "reach": np.mean(reach, axis=0),
        "counts": (len(rows), centred.shape[1]),
    }
