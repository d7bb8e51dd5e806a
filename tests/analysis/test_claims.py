import math

import pytest

from posprobe.analysis.claims import Claim, ClaimsResult, Criterion


def claim(*criteria):
    return Claim(id="A1", says="It holds.", paper="p", number="1", criteria=criteria)


HOLDS = Criterion(says="good", value=0.9, least=0.5)
FAILS = Criterion(says="bad", value=0.4, least=0.5)
GONE = Criterion(says="gone", value=math.nan, least=0.5)


@pytest.mark.parametrize(
    ("item", "holds"),
    [
        (HOLDS, True),
        (FAILS, False),
        (GONE, None),
        (Criterion(says="its interval fails", value=0.6, low=0.4, high=0.8, least=0.5), False),
        (Criterion(says="its interval passes", value=0.6, low=0.5, high=0.8, least=0.5), True),
        (Criterion(says="too much", value=0.6, low=0.5, high=0.8, most=0.7), False),
        (Criterion(says="between", value=0.5, low=0.45, high=0.55, least=0.4, most=0.6), True),
        (Criterion(says="too wide", value=0.5, low=0.35, high=0.55, least=0.4, most=0.6), False),
        (Criterion(says="on the bound", value=0.0, most=0.0), True),
    ],
    ids=lambda value: value.says if isinstance(value, Criterion) else str(value),
)
def test_the_whole_interval_has_to_pass(item, holds):
    assert item.holds is holds


@pytest.mark.parametrize(
    ("criteria", "verdict"),
    [
        ((), "not tested"),
        ((GONE,), "not tested"),
        ((HOLDS,), "shown"),
        ((HOLDS, FAILS), "partly"),
        ((HOLDS, GONE), "partly"),
        ((FAILS, GONE), "not shown"),
        ((FAILS,), "not shown"),
    ],
)
def test_the_verdict_follows_the_rule(criteria, verdict):
    assert claim(*criteria).verdict == verdict


def test_bounds_are_said():
    bounds = [
        Criterion(says="", value=0.0, least=a, most=b).bound for a, b in ((0.9, None), (None, 2))
    ]
    assert bounds == ["≥ 0.9", "≤ 2"]


def test_the_table_has_a_row_per_criterion_and_one_for_what_was_not_tested():
    result = ClaimsResult(claims=(claim(HOLDS, FAILS), claim()), quick=False)
    frame = result.to_frame()
    assert frame["criterion"].tolist()[:2] == ["good", "bad"]
    assert frame["holds"].tolist()[:2] == ["yes", "no"]
    assert frame["verdict"].tolist() == ["partly", "partly", "not tested"]
    assert '"value":' in result.to_json()
