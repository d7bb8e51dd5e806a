import json

import pytest

from posprobe.core.errors import CorpusError
from posprobe.data.equations import addition, indexing, ordering, reversal


@pytest.mark.parametrize(
    ("equation", "line"),
    [
        (addition("999", "1"), "$999+1=0001$"),
        (addition("290", "998"), "$290+998=8821$"),
        (reversal("3736473026692491"), "rev(3736473026692491)=1942966203746373"),
        (indexing("7626819", "6"), "wherex(7626819,6)=1"),
        (indexing("9675862", "7"), "wherex(9675862,7)=2"),
        (ordering("74283", "87234"), "order(74283,87234)=30241"),
        (ordering("72091", "70192"), "order(72091,70192)=02431"),
    ],
)
def test_a_line_is_prompt_and_answer(equation, line):
    assert equation.line == line
    assert equation.prompt == line[: line.index("=") + 1]


@pytest.mark.parametrize("task", ["rev", "order", "wherex"])
def test_answers_agree_with_the_lines_of_the_original_code(shared, task):
    lines = json.loads((shared / "golden/nopefork_nope.adjacency.json").read_text())["tasks"]
    for line in lines[task]["lines"]:
        values = line[line.index("(") + 1 : line.index(")")].split(",")
        ask = {"rev": reversal, "order": ordering, "wherex": indexing}[task]
        assert ask(*values).line == line


@pytest.mark.parametrize(
    ("ask", "values", "named"),
    [
        (addition, ("12", "-3"), "b='-3'"),
        (reversal, ("",), "x=''"),
        (reversal, ("١٢",), "x='١٢'"),
        (indexing, ("123", "4"), "d='4'"),
        (indexing, ("123", "12"), "d='12'"),
        (ordering, ("112", "121"), "x='112'"),
        (ordering, ("123", "124"), "s='124'"),
    ],
)
def test_wrong_values_are_named(ask, values, named):
    with pytest.raises(CorpusError) as error:
        ask(*values)
    assert named in str(error.value)
