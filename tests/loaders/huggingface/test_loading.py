"""Opening folders: what is refused, what is reported, what is never asked for."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from posprobe.core.errors import CheckpointError, UserError
from posprobe.core.files import sha256
from posprobe.core.options import LoadOptions
from posprobe.loaders.huggingface import load_huggingface
from posprobe.loaders.huggingface_positions import read_huggingface_table

OPTIONS = LoadOptions()


def _change(path: Path, **settings) -> None:
    config = json.loads((path / "config.json").read_text()) | settings
    (path / "config.json").write_text(json.dumps(config))


def _refused(path: Path, options: LoadOptions = OPTIONS) -> str:
    with pytest.raises(CheckpointError) as caught:
        load_huggingface(path, options)
    message = str(caught.value)
    assert "\n" not in message
    assert str(path) in message
    return message


FACTS = {
    "gpt2": (True, "learned", "plain", 24, True, None, (1, 2)),
    "neox": (True, "rope", "parallel", 24, True, None, (0, 2)),
    "neox-sequential": (True, "rope", "plain", 24, True, None, (0, 2)),
    "llama": (True, "rope", "plain", 24, True, None, (1, 2)),
    "opt": (True, "learned", "plain", 24, True, 1, (1, 2)),
    "opt-post-norm": (True, "learned", "post-norm", 24, True, 1, (1, 2)),
    "bert": (False, "learned", "post-norm", 24, True, 0, (0,)),
    "bert-headless": (False, "learned", "post-norm", 24, False, 0, (0,)),
    "roberta": (False, "learned", "post-norm", 24, True, 1, (1, 2)),
    "distilbert": (False, "learned", "post-norm", 24, True, 0, (0,)),
    "modernbert": (False, "rope", "plain", 24, True, 0, (0, 1, 2)),
}


@pytest.mark.parametrize("name", FACTS)
def test_facts(name, model, network):
    info = model(name).info
    found = (info.causal, info.position, info.residual, info.n_ctx, info.has_head)
    assert (*found, info.pad_id, info.special_ids) == FACTS[name]
    assert (info.n_layers, info.n_heads, info.d_model, info.d_head) == (2, 4, 32, 8)
    assert info.d_vocab == 50
    assert info.architecture == type(network(name)[0]).__name__
    assert info.n_parameters == sum(weight.numel() for weight in network(name)[0].parameters())


def test_windows_are_known_by_layer(model):
    found = {name: model(name).info.reach for name in ("gpt2", "mistral", "modernbert", "qwen2")}
    assert found == {"gpt2": (), "mistral": (3, 3), "modernbert": (None, 4), "qwen2": ()}


def test_the_source_names_the_file_and_its_hash(folder, model):
    source = model("gpt2").source
    assert source.format == "huggingface"
    assert source.sha256 == sha256(folder("gpt2") / "model.safetensors")


@pytest.mark.parametrize("name", ["gpt2", "gpt2-headless", "llama", "bert", "distilbert"])
def test_no_network_for_a_local_folder(name, folder, tokens, no_network):
    model = load_huggingface(folder(name), OPTIONS)
    model.run(tokens, None, ["blocks.0.hook_resid_post"])
    read_huggingface_table(folder(name))


def test_nothing_is_printed(folder, capfd):
    load_huggingface(folder("gpt2"), OPTIONS)
    load_huggingface(folder("distilbert"), OPTIONS).reinit(0)
    assert capfd.readouterr() == ("", "")


def test_transformers_keeps_its_own_settings(folder):
    from transformers.utils import logging

    before = logging.get_verbosity(), logging.is_progress_bar_enabled()
    load_huggingface(folder("gpt2"), OPTIONS)
    assert (logging.get_verbosity(), logging.is_progress_bar_enabled()) == before


@pytest.mark.parametrize("name", ["gpt2", "gpt2-headless", "llama", "bert", "distilbert"])
def test_a_missing_tensor_is_an_error(name, copy, edit_weights):
    path = copy(name)
    missing = []

    def change(state):
        missing.append(next(key for key in sorted(state) if "1." in key and "weight" in key))
        del state[missing[0]]

    edit_weights(path, change)
    assert f"1 missing: {missing[0]}" in _refused(path)


def test_a_missing_head_is_an_error_unless_tied(copy, edit_weights):
    untied = copy("llama")
    edit_weights(untied, lambda state: state.pop("lm_head.weight"))
    assert "lm_head.weight" in _refused(untied)
    tied = copy("gpt2")
    assert "lm_head.weight" not in load_file(tied / "model.safetensors")
    load_huggingface(tied, OPTIONS)


def test_an_unknown_tensor_is_an_error(copy, edit_weights):
    path = copy("bert")
    edit_weights(path, lambda state: state.update({"bert.surprise.weight": torch.ones(2)}))
    assert "1 not known: bert.surprise.weight" in _refused(path)


def test_tensors_of_a_second_head_and_stored_masks_are_no_error(copy, tokens, model, edit_weights):
    path = copy("bert")
    spare = {
        "bert.pooler.dense.weight": torch.ones(32, 32),
        "cls.seq_relationship.bias": torch.ones(2),
        "bert.embeddings.position_ids": torch.arange(24)[None],
    }
    edit_weights(path, lambda state: state.update(spare))
    site = ["unembed.hook_out"]
    seen = load_huggingface(path, OPTIONS).run(tokens, None, site)
    assert torch.equal(seen[site[0]], model("bert").run(tokens, None, site)[site[0]])


def test_a_misshapen_tensor_is_an_error(copy, edit_weights):
    path = copy("llama")
    edit_weights(path, lambda state: state.update({"model.norm.weight": torch.ones(31)}))
    assert "model.norm.weight (file 31, model 32)" in _refused(path)


def test_shards_are_followed_and_all_must_be_there(network, tmp_path, tokens, model):
    with_shards = tmp_path / "sharded"
    network("opt")[0].save_pretrained(with_shards, max_shard_size="20KB")
    shards = sorted(with_shards.glob("*.safetensors"))
    assert len(shards) > 1
    site = ["unembed.hook_out"]
    seen = load_huggingface(with_shards, OPTIONS).run(tokens, None, site)
    assert torch.equal(seen[site[0]], model("opt").run(tokens, None, site)[site[0]])
    assert (read_huggingface_table(with_shards).rows == model("opt").position_table().rows).all()
    shards[0].unlink()
    assert shards[0].name in _refused(with_shards)


def test_pickled_weights_are_read_without_being_run(copy, tokens, model):
    path = copy("gpt2")
    torch.save(load_file(path / "model.safetensors"), path / "pytorch_model.bin")
    (path / "model.safetensors").unlink()
    site = ["unembed.hook_out"]
    seen = load_huggingface(path, OPTIONS).run(tokens, None, site)
    assert torch.equal(seen[site[0]], model("gpt2").run(tokens, None, site)[site[0]])
    torch.save(torch.nn.Linear(2, 2), path / "pytorch_model.bin")
    assert "--trust-pickle" in _refused(path)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"architectures": ["SomethingForCausalLM"]}, "SomethingForCausalLM"),
        ({"architectures": ["Trainer"]}, "Trainer"),
        ({"architectures": []}, "None"),
        ({"architectures": None, "auto_map": {"AutoModel": "evil.py"}}, "no code"),
        ({"quantization_config": {"quant_method": "gptq"}}, "quantised"),
        (
            {"architectures": ["T5ForConditionalGeneration"], "is_encoder_decoder": True},
            "two stacks",
        ),
        ({"n_head": 5}, "transformers cannot build it"),
        ({"n_layer": "many"}, "transformers cannot build it"),
    ],
)
def test_configurations_that_cannot_be_opened(copy, settings, said):
    path = copy("gpt2")
    _change(path, **settings)
    assert said in _refused(path)


def test_a_configuration_that_contradicts_itself_is_one_line(tmp_path):
    import transformers

    from posprobe.loaders.quiet import quiet

    with quiet():
        # Four query heads cannot share the thirty-two key heads of the default.
        settings = {"vocab_size": 50, "hidden_size": 32, "num_attention_heads": 4}
        config = transformers.StableLmConfig(num_hidden_layers=1, intermediate_size=64, **settings)
        transformers.StableLmForCausalLM(config).save_pretrained(tmp_path)
    assert "cannot be run" in _refused(tmp_path)


def test_damaged_files_are_one_line(copy):
    path = copy("gpt2")
    (path / "model.safetensors").write_bytes(b"damaged")
    assert "damaged" in _refused(path)
    (path / "config.json").write_text("{")
    assert "JSON" in _refused(path)


def test_text_that_the_model_cannot_take(model, tokens):
    with pytest.raises(UserError, match="longer than the context of 24"):
        model("gpt2").run(torch.ones(1, 25, dtype=torch.long))
    for wrong in (50, -1):
        with pytest.raises(UserError, match="vocabulary of 50"):
            model("gpt2").run(torch.full((1, 3), wrong))


@pytest.mark.parametrize("name", ["gpt2", "llama", "bert", "distilbert"])
def test_half_precision(name, folder, model, tokens):
    half = load_huggingface(folder(name), LoadOptions(dtype="bfloat16"))
    assert type(half) is type(model(name))
    seen, exact = (wrapped.run(tokens, None, half.sites()) for wrapped in (half, model(name)))
    for site, value in seen.items():
        assert value.dtype == torch.bfloat16
        torch.testing.assert_close(value.float(), exact[site], atol=0.1, rtol=0.1)
