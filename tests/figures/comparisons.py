"""Invented differences between two checkpoints."""

from posprobe.analysis.comparison import ComparisonResult, Difference


def difference(value=0.1, width=0.05, **changes):
    """Return one difference with an interval of so much on either side."""
    fields = {
        "measure": "adjacency",
        "quantity": "adjacency score, cosine",
        "condition": "checkpoint",
        "place": "attn.hook_z",
        "layer": 0,
        "head": None,
        "a": 0.5,
        "b": 0.5 + value,
        "difference": value,
        "low": value - width,
        "high": value + width,
        "method": "paired",
        "units": "prompts",
        "n": 100,
    }
    return Difference(**(fields | changes))


def result(**changes):
    """Return differences of every kind: of whole models, by layer, by head."""
    nan = float("nan")
    bare = {"low": nan, "high": nan, "method": "none", "units": "one table each", "n": 0}
    table = {"measure": "manifold", "layer": None, "place": "table", **bare}
    whole = {"measure": "heads", "layer": None, "quantity": "share of the logits"}
    single = {"measure": "heads", "quantity": "share of the logits, by head", "method": "errors"}
    fields = {
        "a": "dstg-tiny",
        "b": "ap-tiny",
        "differences": (
            difference(-0.3, quantity="variance in PC1–2", **table),
            difference(4.0, quantity="participation ratio", **table),
            difference(0.02, place="semantic", **whole),
            difference(nan, nan, place="relative position", **whole),
            *(
                difference(
                    0.1 * head - 0.2 * layer, place="semantic", layer=layer, head=head, **single
                )
                for layer in range(2)
                for head in range(3)
            ),
            difference(0.0, layer=-1, place="hook_embed"),
            *(difference(0.1 * layer + 0.01, layer=layer) for layer in range(3)),
            *(difference(0.01, layer=layer, condition="non-causal") for layer in range(3)),
        ),
        "left_out": ("Left out: probe, which ap-tiny does not have.",),
    }
    return ComparisonResult(**(fields | changes))
