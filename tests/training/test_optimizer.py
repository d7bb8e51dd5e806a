from dataclasses import replace

from posprobe.models.build import build
from posprobe.training.optimizer import make_optimizer
from tests.training.tiny import TASK, TEXT


def groups(config):
    model = build(config.model)
    names = {id(p): name for name, p in model.named_parameters()}
    optimizer = make_optimizer(model, config)
    return [({names[id(p)] for p in g["params"]}, g) for g in optimizer.param_groups], names


def test_every_weight_is_in_one_group_and_only_matrices_decay():
    found, names = groups(TEXT)
    assert sorted(name for members, _ in found for name in members) == sorted(names.values())
    for members, group in found:
        decays = group["weight_decay"] > 0
        assert all(decays == ("norm" not in n and "bias" not in n) for n in members)


def test_the_relative_bias_alone_is_faster():
    found, _ = groups(replace(TEXT, bias_lr_scale=3.0))
    assert [group["scale"] for _, group in found] == [1.0, 1.0, 3.0]
    assert all("relative_bias" in name for name in found[2][0])


def test_a_tied_head_is_learned_once():
    found, _ = groups(TASK)
    assert not any("unembed" in name for members, _ in found for name in members)
    assert any("embed.weight" in members for members, _ in found)
