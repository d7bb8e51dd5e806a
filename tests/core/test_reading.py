import json
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pytest
from jaxtyping import Float, Int

from posprobe.core.errors import UserError
from posprobe.core.files import strict_json
from posprobe.core.provenance import Provenance
from posprobe.core.reading import from_plain
from posprobe.core.result import plain
from tests.figures import samples


@dataclass(frozen=True, kw_only=True)
class Leaf:
    name: str
    kind: Literal["a", "b"]
    value: float


@dataclass(frozen=True, kw_only=True)
class Tree:
    leaves: tuple[Leaf, ...]
    pair: tuple[int, str]
    matrix: Float[np.ndarray, "row column"]
    counts: Int[np.ndarray, "2"] | None
    loss: float | None
    flags: dict[str, bool]
    anything: dict[str, Any] = field(default_factory=dict)
    below: "Tree | None" = None


def tree(**changes):
    fields = {
        "leaves": (Leaf(name="x", kind="a", value=0.1), Leaf(name="y", kind="b", value=np.nan)),
        "pair": (3, "z"),
        "matrix": np.array([[0.1, np.nan], [2.0, 1e-300]]),
        "counts": np.array([1, 2]),
        "loss": None,
        "flags": {"on": True},
    }
    return Tree(**(fields | changes))


def written(value):
    return json.loads(strict_json(plain(value)))


def test_what_was_written_comes_back():
    one = tree(anything={"deep": [1, {"a": None}]}, below=tree(counts=None, loss=2.5))
    again = from_plain(Tree, written(one))
    assert strict_json(plain(again)) == strict_json(plain(one))
    assert isinstance(again.leaves, tuple)
    assert again.below.loss == 2.5
    assert np.isnan(again.leaves[1].value)
    np.testing.assert_array_equal(again.matrix, one.matrix)
    assert (again.matrix.dtype, again.counts.dtype) == (np.float64, np.int64)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_arrays_without_numbers_keep_their_axes(shape):
    assert from_plain(Tree, written(tree(matrix=np.zeros(shape)))).matrix.ndim == 2


def test_a_field_with_a_default_may_be_missing():
    old = written(tree())
    del old["anything"], old["below"]
    assert from_plain(Tree, old).anything == {}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.update(colour="red"), "result: has ['colour']"),
        (lambda d: d.pop("pair"), "result: lacks ['pair']"),
        (lambda d: d["leaves"][1].update(value="high"), "result.leaves[1].value: expected a numb"),
        (lambda d: d["leaves"][0].update(value=True), "result.leaves[0].value: expected a number"),
        (lambda d: d["leaves"][0].update(kind="c"), "result.leaves[0].kind: expected ('a', 'b')"),
        (lambda d: d["leaves"][0].update(name=1), "result.leaves[0].name: expected str"),
        (lambda d: d.update(leaves={}), "result.leaves: expected a list"),
        (lambda d: d.update(leaves=[3]), "result.leaves[0]: expected the fields of Leaf"),
        (lambda d: d.update(pair=[1, "a", 2]), "result.pair: expected 2 values"),
        (lambda d: d.update(pair=[True, "a"]), "result.pair[0]: expected int"),
        (lambda d: d.update(pair=[1.0, "a"]), "result.pair[0]: expected int"),
        (lambda d: d.update(matrix=[1.0, 2.0]), "result.matrix: expected an array [row column]"),
        (lambda d: d.update(matrix=[[1.0], [2.0, 3.0]]), "unequal lengths"),
        (lambda d: d.update(matrix=[["1.0", 2.0]]), "result.matrix: expected an array"),
        (lambda d: d.update(matrix=[[None, "1"]]), "result.matrix: expected an array"),
        (lambda d: d.update(matrix=None), "result.matrix: expected an array"),
        (lambda d: d.update(counts=[1.5, 2]), "result.counts: expected an array [2]"),
        (lambda d: d.update(counts=[1, None]), "result.counts: expected an array [2]"),
        (lambda d: d.update(counts=[1, 2, 3]), "result.counts: expected an array [2]"),
        (lambda d: d.update(loss="low"), "result.loss: expected a number"),
        (lambda d: d.update(flags=[True]), "result.flags: expected names with values"),
        (lambda d: d.update(flags={"on": 1}), "result.flags.on: expected bool"),
        (lambda d: d.update(below=written(tree()) | {"pair": 1}), "result.below.pair: expected a"),
    ],
)
def test_nothing_is_guessed(change, words):
    given = written(tree())
    change(given)
    with pytest.raises(UserError) as raised:
        from_plain(Tree, given, where="result")
    assert words in str(raised.value)


@pytest.mark.parametrize(
    "made",
    [
        samples.provenance("a", "b"),
        samples.manifold_result(samples.manifold(), samples.undefined_manifold()),
        samples.layered_result(layers=2),
        samples.undefined_heads(),
        samples.heads_result(terms=("sem", "rp")),
        samples.heads_result(terms=("sem",), init=False),
        samples.adjacency_result(heads=2),
    ],
    ids=lambda made: type(made).__name__,
)
def test_results_and_provenance_come_back_byte_for_byte(made):
    again = from_plain(type(made), written(made))
    assert isinstance(again, Provenance) or again.to_frame().equals(made.to_frame())
    assert strict_json(plain(again)) == strict_json(plain(made))
