import pytest

from posprobe.core.errors import UserError
from posprobe.pipeline.claims.causal import SIZES, TASKS
from posprobe.pipeline.claims.runs import UNTRAINED, WHOLE
from posprobe.pipeline.sweeping.spec import OPTIONS, read_spec, shipped_specs

ONE = 'checkpoints = "nanogpt-nope-paper"\n'


@pytest.fixture
def spec(tmp_path):
    def write(text):
        path = tmp_path / "grid.toml"
        path.write_text(text)
        return str(path)

    return write


def test_lists_are_axes_and_their_product_is_the_grid(spec):
    read = read_spec(
        spec(
            'title = "Mine"\nseed = [3, 4]\ndocuments = 9\n'
            'checkpoints = ["nanogpt-nope-6x192", "nanogpt-nope-paper"]\n'
            '[adjacency]\ninit_std = [0, 0.2]\nsite = [["hook_embed", "attn.hook_z"]]\n'
            '[probe]\ntarget = "token"\n'
        )
    )
    assert read.title == "Mine"
    assert read.axes == ("checkpoint", "seed", "init_std", "site")
    adjacency = [cell for cell in read.cells if cell.measure == "adjacency"]
    assert (len(adjacency), len(read.cells)) == (8, 12)
    assert adjacency[1].ref == "nanogpt-nope-6x192"
    assert adjacency[1].at == {
        "checkpoint": "nanogpt-nope-6x192",
        "seed": 3,
        "init_std": 0.2,
        "site": "hook_embed attn.hook_z",
    }
    assert adjacency[1].options == {
        "seed": 3,
        "init_std": 0.2,
        "site": ("hook_embed", "attn.hook_z"),
        "init": True,
    }
    assert read.cells[-1].options["target"] == ("token",)
    assert read.cells[-1].options["documents"] == 9


def test_several_tables_of_a_measure_are_several_grids(spec):
    text = "[[adjacency]]\nlayers = 6\nwidth = [192, 384]\n[[adjacency]]\nseed = [1]\n"
    read = read_spec(spec(ONE + text))
    assert [cell.ref for cell in read.cells] == [
        "nanogpt-nope-6x192",
        "nanogpt-nope-6x384",
        "nanogpt-nope-paper",
    ]
    assert read.cells[0].at == {"layers": 6, "width": 192}
    assert read.cells[2].at == {"checkpoint": "nanogpt-nope-paper", "seed": 1}


def test_parts_cut_the_corpora_that_can_be_cut(spec):
    read = read_spec(
        spec(
            ONE
            + "parts = 4\n[adjacency]\nparts = 2\n[[probe]]\n[[probe]]\nparts = 1\nprobe = 'mlp'\n"
            "[manifold]\nsource = ['states']\nseed = [0, 1]\n"
        )
    )
    assert [(cell.measure, cell.parts) for cell in read.cells] == [
        ("adjacency", 2),
        ("probe", 4),
        ("probe", 1),
        ("manifold", 4),
        ("manifold", 4),
    ]
    assert read.axes == ("checkpoint", "source", "seed")
    assert all("parts" not in cell.options for cell in read.cells)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (ONE + "[adjacency]\ntaks = 1", r"\[adjacency\] taks: no such option; did you mean task\?"),
        (
            ONE + "sead = 1\n[adjacency]",
            r"sead: no measure here has such an option; did you mean s",
        ),
        (ONE + "[adjacancy]", r"\[adjacancy\]: no such measure; choose among manifold, heads"),
        (ONE, "names no measure; add a table"),
        (ONE + "seed = []\n[adjacency]", r"seed: is empty; an axis wants at least one value"),
        (ONE + "seed = [1, 1]\n[adjacency]", r"seed: has a value twice"),
        (ONE + "[adjacency]\ninit_std = 'x'", r"init_std: expected a number, found 'x'"),
        (ONE + "[adjacency]\ntask = 'sorting'", r"task: expected .*reversal.*, found 'sorting'"),
        (ONE + "[adjacency]\nprompts = [4, 0]", r"\[adjacency\]: --prompts 0: must be at least 1"),
        (ONE + "[adjacency]\nno_cache = true", r"no_cache: no such option"),
        (ONE + "adjacency = 3", r"\[adjacency\]: expected a table of options, found 3"),
        ("[adjacency]", r"names no model; add checkpoints, or layers and width"),
        ("layers = 6\n[adjacency]", r"name both layers and width"),
        ("layers = 7\nwidth = 192\n[adjacency]", r"nanogpt-nope-7x192: no such configuration"),
        ("checkpoints = ['gone']\n[heads]", r"checkpoints: gone: no such file, folder or check"),
        ("checkpoints = [3]\n[heads]", r"checkpoints: expected str, found '3'"),
        ("title = 3\n[heads]", "title: expected a text, found 3"),
        ("title =", "cannot be read as TOML"),
        (ONE + "[heads]\nparts = [1, 2]", r"\[heads\] parts: expected one whole number from 1 on"),
        (ONE + "parts = 0\n[heads]", r"\[heads\] parts: expected one whole number .*, found 0"),
        (ONE + "[heads]\nparts = true", r"\[heads\] parts: expected one whole number"),
        (
            ONE + "[manifold]\nparts = 2",
            r'parts: a position table has no corpus .*source = "states"',
        ),
        (
            ONE + "parts = 2\n[manifold]\nsource = 'states'\nsteps = 'all'",
            r'\[manifold\]: parts: cannot go with steps = "all"; name the steps as checkpoints',
        ),
        (
            ONE + "parts = 2\n[probe]\nprobe = ['linear', 'mlp']",
            r"\[probe\]: parts: only linear probes follow from sums; leave out the others",
        ),
    ],
)
def test_a_mistake_is_one_line_that_says_where(spec, text, says):
    with pytest.raises(UserError, match=says) as caught:
        read_spec(spec(text))
    assert "grid.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_name_lists_those_that_ship():
    with pytest.raises(UserError, match="no such file; specs that ship: b2-tasks, b3-sizes, b4-"):
        read_spec("b5")


def test_the_specs_that_ship_measure_what_the_claims_rest_on():
    assert shipped_specs() == ["b2-tasks", "b3-sizes", "b4-variance"]
    found = {}
    for name in shipped_specs():
        cells = read_spec(name).cells
        assert {cell.measure for cell in cells} == {"adjacency"}
        assert {cell.options["average"] for cell in cells} == {"triples"}  # as the criteria count
        for cell in cells:
            assert OPTIONS["adjacency"](**cell.options).prompts == WHOLE.prompts
        found[name] = cells
    tasks = [(c.ref, c.options["task"]) for c in found["b2-tasks"] if c.options.get("init")]
    assert tasks == [(UNTRAINED, task) for task in TASKS]
    sizes = [(c.at["layers"], c.at["width"]) for c in found["b3-sizes"]]
    assert tuple(sizes) == SIZES
    drawn = {(c.options["init_mean"], c.options["init_std"]) for c in found["b4-variance"]}
    assert drawn == {(mean, std) for mean in (0, 4, 8) for std in (0.002, 0.02, 0.2)}
    assert {c.ref for c in found["b4-variance"]} == {UNTRAINED}
