from itertools import pairwise

from posprobe.core.provenance import TokenSource
from posprobe.training.record import training_record
from tests.training.tiny import TEXT


def record(log, **changes):
    settings = {
        "overrides": ("lr=1e-3", "data.source=my text"),
        "out": "here",
        "data": TokenSource(name="text", sha256="0" * 64, documents=3, tokens=9),
        "longest": 24,
        "step": 9,
        "tokens": 100,
        "seconds": 1.25,
        "evaluation": {"loss": 2.0},
        "threads": 1,
        "processes": 1,
    }
    return training_record(TEXT, log=log, **(settings | changes))


def test_the_command_makes_it_again():
    expected = "posprobe train tiny --out here --set lr=1e-3 --set 'data.source=my text'"
    assert record([])["command"] == expected


def test_a_long_curve_is_thinned_and_keeps_its_end():
    log = [{"step": step, "loss": 1 / step} for step in range(1, 1001)]
    curve = record(log)["curve"]
    assert len(curve) == 200
    assert curve[-1] == [1000, 1 / 1000]
    assert {b[0] - a[0] for a, b in pairwise(curve)} == {5}


def test_a_short_curve_is_whole():
    log = [{"step": 1, "loss": 3.0}, {"step": 1, "eval": {"loss": 2.5}}, {"step": 2, "loss": 2.0}]
    found = record(log)
    assert found["curve"] == [[1, 3.0], [2, 2.0]]
    assert found["evaluations"] == [[1, {"loss": 2.5}]]
