import pytest

from posprobe.core.errors import UserError
from posprobe.training.overrides import override
from tests.training.tiny import TASK, TEXT


def test_values_of_every_kind():
    pairs = ["lr=3e-4", "steps=7", "step_folders=1,2", "mixed_precision=bf16", "recipe=mine"]
    config = override(TEXT, [*pairs, "model.n_layers=3", "data.source=here.txt"])
    assert (config.lr, config.steps, config.step_folders) == (3e-4, 7, (1, 2))
    assert (config.mixed_precision, config.recipe) == ("bf16", "mine")
    assert (config.model.n_layers, config.data.source) == (3, "here.txt")
    assert override(TASK, ["model.causal=false", "data.variable=true"]).data.variable is True
    assert override(TEXT, ["step_folders="]).step_folders == ()
    assert TEXT.model.n_layers == 2


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        ("lr", "--set lr: write key=value"),
        ("rate=1", "no setting 'rate'.*there are: .*lr"),
        ("model.layers=2", "no setting 'layers'"),
        ("lr.high=2", "lr has no settings of its own"),
        ("steps=2.5", "steps=2.5: must be a whole number"),
        ("lr=fast", "lr=fast: must be a number"),
        ("model.rp_bias=1", "must be true or false"),
        ("device=tpu", "must be one of auto, cpu"),
        ("model=ap", "set its parts"),
        ("step_folders=a", "must be a whole number"),
        ("steps=0", "steps=0 must be at least 1"),
        ("mask_rate=0", r"mask_rate=0.0 must be in \(0, 1\]"),
        ("model.d_model=17", "d_model=17 is not a multiple"),
        ("data.length=25", "data.length=25 is more than model.n_ctx=24"),
    ],
)
def test_mistakes_are_one_line(pair, words):
    with pytest.raises(UserError, match=words) as caught:
        override(TEXT, [pair])
    assert "\n" not in str(caught.value)


def test_settings_that_only_fit_together_may_be_given_in_any_order():
    config = override(TEXT, ["data.length=48", "model.n_ctx=48"])
    assert config.data.length == config.model.n_ctx == 48
