import pytest

from posprobe.analysis.adjacency import AdjacencyResult
from posprobe.core.errors import UserError
from tests.figures import samples


def test_a_result_is_read_back_from_its_json():
    made = samples.adjacency_result()
    assert AdjacencyResult.from_json(made.to_json()).to_json() == made.to_json()
    with pytest.raises(UserError, match="AdjacencyResult: lacks"):
        AdjacencyResult.from_json("{}")


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (samples.adjacency_result(checkpoint=samples.NASTY), "0.97"),
        (samples.heads_result(), "structure"),
        (samples.manifold_result(samples.manifold(samples.NASTY)), "&lt;script&gt;"),
    ],
)
def test_notebooks_show_the_summary(made, words):
    shown = made._repr_html_()
    assert shown.startswith(f"<table><caption>{type(made).__name__}</caption>")
    assert words in shown
    assert "<script>" not in shown
    assert len(shown) < 5000
