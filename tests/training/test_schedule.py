import math

import pytest

from posprobe.training.schedule import rate_at


def test_rises_to_the_top_and_falls_to_the_floor():
    rates = [rate_at(step, steps=100, warmup=10, floor=0.1) for step in range(101)]
    assert rates[:10] == pytest.approx([0.1 * k for k in range(1, 11)])
    assert rates == [*sorted(rates[:10]), *sorted(rates[10:], reverse=True)]
    assert rates[55] == pytest.approx(0.1 + 0.9 * 0.5)
    assert rates[100] == pytest.approx(0.1)
    assert rates[32] == pytest.approx(0.1 + 0.9 * (1 + math.cos(math.pi * 22 / 90)) / 2)


def test_without_warmup_it_begins_at_the_top():
    assert rate_at(0, steps=10, warmup=0, floor=0.0) == 1.0
