import numpy as np

from posprobe.analysis.sweep import SweepCell, SweepPoint, SweepResult
from posprobe.figures.sweep import PANELS, sweep_figures


def grid(**axes):
    """Make a grid whose score is layers / 100 + width / 10,000 + layer / 1,000,000."""
    cells = []
    for layers in axes["layers"]:
        for width in axes["width"]:
            points = tuple(
                SweepPoint(
                    quantity="adjacency score",
                    condition="random init",
                    place="hook_embed" if layer == -1 else "attn.hook_z",
                    layer=layer,
                    value=layers / 100 + width / 1e4 + layer / 1e6,
                )
                for layer in range(-1, layers)
            )
            at = {"layers": layers, "width": width}
            cells.append(SweepCell(measure="adjacency", at=at, points=points))
    return SweepResult(title="Sizes", axes=tuple(axes), cells=tuple(cells))


def test_the_last_axis_is_the_lines_and_the_others_are_the_panels():
    ((figure, group),) = sweep_figures(grid(layers=[2, 3], width=[10, 20, 30]))
    assert [panel.title for panel in figure.panels] == ["layers 2", "layers 3"]
    lines = figure.panels[1].marks[:-1]
    assert [line.label for line in lines] == ["width 10", "width 20", "width 30"]
    assert lines[2].x.tolist() == [-1, 0, 1, 2]
    np.testing.assert_allclose(lines[2].y, 0.033 + np.array([-1, 0, 1, 2]) / 1e6)
    assert len(group) == 3 * 3 + 3 * 4
    assert len({(line.role, line.shape) for line in lines}) == 3


def test_an_axis_of_many_values_is_panels_and_too_many_are_counted():
    ((figure, _),) = sweep_figures(grid(layers=[1, 2], width=list(range(20))))
    assert [line.label for line in figure.panels[0].marks[:-1]] == ["layers 1", "layers 2"]
    assert len(figure.panels) == PANELS
    assert f"Drawn: {PANELS} of 20 panels." in figure.caption


def test_numbers_without_a_layer_are_drawn_by_setting():
    cells = tuple(
        SweepCell(
            measure="manifold",
            at={"seed": seed},
            points=(
                SweepPoint(
                    quantity="top-2",
                    condition="checkpoint",
                    place="table",
                    layer=None,
                    value=seed / 8,
                ),
            ),
        )
        for seed in (1, 2)
    )
    ((figure, _),) = sweep_figures(SweepResult(title="Seeds", axes=("seed",), cells=cells))
    (panel,) = figure.panels
    assert panel.marks[0].x.tolist() == [0.125, 0.25]
    assert panel.y.tick_labels == ("seed 1", "seed 2")


def test_a_single_cell_is_a_line_by_itself():
    ((figure, _),) = sweep_figures(grid(layers=[2], width=[10]))
    assert [panel.title for panel in figure.panels] == [""]
    assert figure.panels[0].marks[0].x.tolist() == [-1, 0, 1]


def test_streams_that_enter_the_layers_keep_to_their_own_figure():
    points = tuple(
        SweepPoint(quantity=quantity, condition="checkpoint", place=place, layer=layer, value=0.5)
        for quantity, places in {"of states": ("whole", "ap"), "of logits": ("absolute",)}.items()
        for place in places
        for layer in range(-1 if quantity == "of states" else 0, 3)
    )
    cell = SweepCell(measure="decomposition", at={"seed": 0}, points=points)
    found = list(sweep_figures(SweepResult(title="Parts", axes=("seed",), cells=(cell,))))
    assert [figure.title for figure, _ in found] == [
        "Of states, whole",
        "Of states, ap",
        "Of logits, absolute",
    ]
    assert [[point.layer for _, point in group] for _, group in found] == [
        [-1, 0, 1, 2],
        [-1, 0, 1, 2],
        [0, 1, 2],
    ]


def test_panels_have_one_scale_and_conditions_are_lines_where_no_axis_is():
    points = tuple(
        SweepPoint(quantity="share", condition=name, place="x", layer=layer, value=value + layer)
        for name, value in {"checkpoint": 0.0, "random init": 8.0}.items()
        for layer in range(3)
    )
    cells = tuple(SweepCell(measure="heads", at={"seed": seed}, points=points) for seed in (0, 1))
    alone, several = (
        next(sweep_figures(SweepResult(title="Few", axes=("seed",), cells=some)))[0]
        for some in (cells[:1], cells)
    )
    (panel,) = alone.panels
    assert [line.label for line in panel.marks] == ["checkpoint", "random init"]
    assert len({line.role for line in panel.marks}) == 2
    assert [panel.title for panel in several.panels] == ["checkpoint", "random init"]
    (axis,) = {panel.y for panel in several.panels}
    assert (axis.low, axis.high) == (-0.4, 10.4)
