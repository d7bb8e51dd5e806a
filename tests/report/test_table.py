import numpy as np
import pandas as pd

from posprobe.report.table import Table, number_format


def _cells(**columns):
    return Table(frame=pd.DataFrame(columns), caption="c").cells()


def test_columns_are_rounded_alike():
    assert _cells(a=[0.5, 0.12345]) == [["0.500"], ["0.123"]]
    assert _cells(a=[0.0301, 0.0004]) == [["0.0301"], ["0.0004"]]
    assert _cells(a=[1234567.8, 2.0]) == [["1,234,568"], ["2"]]


def test_whole_numbers_names_and_gaps():
    frame = pd.DataFrame({"n": [1200, -3], "name": ["a", "b"], "gap": [pd.NA, 0.5]})
    table = Table(frame=frame, caption="c")
    assert table.cells() == [["1,200", "a", ""], ["−3", "b", "0.500"]]
    assert table.numeric() == [True, False, True]


def test_undefined_is_a_word():
    assert _cells(a=[float("nan"), 1.0]) == [["undefined"], ["1.000"]]
    assert _cells(a=[float("nan")]) == [["undefined"]]


def test_no_negative_zero():
    assert _cells(a=[-0.0001, 0.5]) == [["0.000"], ["0.500"]]
    assert number_format([0.0])(-0.0) == "0.000"


def test_numbers_survive_rounding():
    values = np.random.default_rng(0).normal(size=50)
    shown = [float(row[0].replace("−", "-")) for row in _cells(a=values)]
    np.testing.assert_allclose(shown, values, atol=5.1e-4)


def test_long_tables_are_folded():
    assert not Table(frame=pd.DataFrame({"a": range(21)}), caption="c").long
    assert Table(frame=pd.DataFrame({"a": range(22)}), caption="c").long
