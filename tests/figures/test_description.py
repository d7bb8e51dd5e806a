import numpy as np

from posprobe.figures.description import Axis, Figure, Panel
from posprobe.figures.marks import Bars, Heatmap, Line, Rule, Scale, Scatter
from posprobe.figures.theme import CLASSES, CSS, DARK, LIGHT, SERIES

ONE = np.ones(1)
SCALE = Scale(label="share", low=0, high=1, stops=("amount-0", "amount-8"))


def _figure(*panels):
    return Figure(id="f", title="t", caption="c", alt="a", panels=panels)


def _panel(*marks):
    return Panel(marks=marks, x=Axis(), y=Axis())


def test_legend_names_each_label_once_and_leaves_scales_to_scales():
    first = Line(x=ONE, y=ONE, label="a")
    figure = _figure(
        _panel(first, Scatter(x=ONE, y=ONE, label="coloured", values=ONE, scale=SCALE)),
        _panel(
            Line(x=ONE, y=ONE, label="a", role="c2"),
            Bars(edges=np.arange(2.0), heights=ONE, label="b"),
            Rule(value=0, label="r"),
            Rule(value=0, label=""),
            Heatmap(values=np.ones((1, 1)), scale=SCALE, label="h"),
        ),
    )
    assert [key.label for key in figure.legend()] == ["a", "b", "r"]
    assert figure.legend()[0] is first
    assert figure.scales() == (SCALE,)


def test_scales_that_explain_themselves_are_not_listed():
    own = Scale(label="cosine", low=0, high=1, stops=("amount-0", "amount-8"), keyed=False)
    cells = Heatmap(values=np.ones((1, 1)), scale=own, label="h")
    assert _figure(_panel(cells)).scales() == ()


def test_scale_gives_the_nearest_stop():
    scale = Scale(label="layer", low=0, high=4, stops=("a", "b", "c"))
    assert [scale.role(value) for value in (-9, 0, 1.9, 4, 9)] == ["a", "a", "b", "c", "c"]
    assert Scale(label="layer", low=2, high=2, stops=("a", "b")).role(2) == "a"


def test_both_themes_have_every_role():
    assert LIGHT.colours.keys() == DARK.colours.keys() == CSS.colours.keys()
    used = {*SERIES, *(role for role, _ in CLASSES.values())}
    assert used <= LIGHT.colours.keys()


def test_colours_that_are_equal_in_the_light_are_equal_in_the_dark():
    # Drawings are recoloured by their light colour, which therefore must say enough.
    dark_of = {}
    for role, colour in LIGHT.colours.items():
        assert dark_of.setdefault(colour, DARK[role]) == DARK[role], role


def test_class_letters_are_distinct():
    letters = [letters for _, letters in CLASSES.values()]
    assert len(set(letters)) == len(letters)
