"""Files of the shapes that nanoGPT and its fork write, made here."""

import pickle

import numpy as np
import pytest
import torch

from posprobe.core.errors import CheckpointError
from posprobe.loaders import load
from posprobe.models.build import build
from posprobe.models.config import DecoderConfig

ARGS = {"n_layer": 2, "n_head": 2, "n_embd": 16, "block_size": 12, "bias": True, "vocab_size": 20}
FORK = ARGS | {"use_pe": "nope", "bias": False, "use_residual": True, "not_causal": False}
PARTS = {"ln1": "ln_1", "attn.qkv": "attn.c_attn", "attn.out": "attn.c_proj", "ln2": "ln_2"}
PARTS |= {"mlp.up": "mlp.c_fc", "mlp.down": "mlp.c_proj"}


def foreign_state(model, prefix=""):
    state = {}
    for name, weight in model.state_dict().items():
        for ours, theirs in PARTS.items():
            name = name.replace(f".{ours}.", f".{theirs}.")
        name = name.replace("blocks.", "transformer.h.").replace("ln_final", "transformer.ln_f")
        name = name.replace("unembed.head", "lm_head").replace("pos_embed", "transformer.wpe")
        if name == "embed.weight":
            name = "transformer.wte.weight"
        state[prefix + name] = weight.clone()
    return state


@pytest.fixture
def model():
    cfg = DecoderConfig(
        position="learned", n_layers=2, n_heads=2, d_model=16, n_ctx=12, d_vocab=20, bias=True,
        gelu="erf",
    )  # fmt: skip
    return build(cfg, std=0.3)


@pytest.fixture
def write(tmp_path, model):
    def save(args=ARGS, prefix="", drop=(), **more):
        state = {k: v for k, v in foreign_state(model, prefix).items() if k not in drop}
        state |= more.pop("extra", {})
        saved = {"model": state, "model_args": args, "iter_num": 7, "optimizer": {}} | more
        path = tmp_path / "ckpt.pt"
        torch.save(saved, path)
        return path

    return save


def logits(model):
    return model.run(torch.arange(10)[None], sites=["unembed.hook_out"])["unembed.hook_out"]


@pytest.mark.parametrize("prefix", ["", "_orig_mod.", "module.", "module._orig_mod.module."])
def test_prefixes_are_stripped_however_nested(write, model, prefix):
    assert torch.equal(logits(load(write(prefix=prefix))), logits(model))


def test_numpy_losses_load_without_trust(write, model):
    for loss in (np.array(1.5, dtype=np.float32), np.float64(1.5), torch.tensor(1.5), 1e9):
        loaded = load(write(best_val_loss=loss))
        assert loaded.source.trained["best_val_loss"] == pytest.approx(float(loss))


def test_tied_head_may_be_absent_and_untied_head_is_kept(write, model):
    assert torch.equal(logits(load(write(drop=["lm_head.weight"]))), logits(model))
    other = torch.randn(20, 16)
    untied = load(write(extra={"lm_head.weight": other}))
    assert not untied.cfg.tied
    assert torch.equal(untied.unembed.head.weight, other)


def test_causal_mask_buffer_is_dropped(write, model):
    mask = torch.ones(1, 1, 12, 12).tril()
    path = write(extra={f"transformer.h.{i}.attn.bias": mask for i in range(2)})
    assert torch.equal(logits(load(path)), logits(model))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"drop": ["transformer.h.1.mlp.c_fc.weight"]}, r"missing.*blocks\.1\.mlp\.up\.weight"),
        ({"extra": {"transformer.odd": torch.ones(1)}}, r"transformer\.odd"),
        ({"extra": {"transformer.wpe.weight": torch.ones(3, 16)}}, r"pos_embed\.weight"),
        ({"args": {"n_layer": 2}}, "`model_args` lacks n_head"),
        ({"args": FORK | {"use_pe": "rotary"}}, "use_pe='rotary'"),
        ({"args": FORK | {"permute": True}}, "permute is on"),
        ({"args": FORK | {"use_residual": [0, 0, 1]}}, "use_residual"),
        ({"args": FORK | {"not_causal": [1]}}, "only some layers are causal"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(write, change, words):
    with pytest.raises(CheckpointError, match=words) as caught:
        load(write(**change))
    assert "\n" not in str(caught.value)


def test_fork_residual_switches(write, model):
    drop = ["transformer.wpe.weight"]
    args = FORK | {"bias": True, "use_residual": [0], "no_mlp_residual": 1}
    cfg = load(write(args=args, drop=drop)).cfg
    assert (cfg.position, cfg.gelu) == ("none", "tanh")
    assert (cfg.no_attn_residual, cfg.no_mlp_residual) == ((1,), (0, 1))


def test_gelu_can_be_chosen(write):
    assert load(write()).cfg.gelu == "erf"
    assert load(write(), gelu="tanh").cfg.gelu == "tanh"


def test_vocabulary_is_found_beside_the_file_or_by_the_data_set(write, tmp_path):
    characters = [chr(97 + i) for i in range(20)]
    meta = {"vocab_size": 20, "itos": dict(enumerate(characters))}
    meta["stoi"] = {c: i for i, c in meta["itos"].items()}
    assert load(write()).tokenizer is None
    place = tmp_path.parent / "data" / "letters"
    place.mkdir(parents=True, exist_ok=True)
    (place / "meta.pkl").write_bytes(pickle.dumps(meta))
    assert load(write(config={"dataset": "letters"})).tokenizer.encode("cab") == [2, 0, 1]
    (tmp_path / "meta.pkl").write_bytes(pickle.dumps(meta))
    assert load(tmp_path).tokenizer.encode("cab") == [2, 0, 1]


class _Malicious:
    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return (open, (str(self.marker), "w"))


def test_malicious_pickle_is_refused_without_running_it(write, tmp_path):
    marker = tmp_path / "was-run"
    path = write(best_val_loss=_Malicious(marker))
    with pytest.raises(CheckpointError, match=r"--trust-pickle") as caught:
        load(path)
    assert "open" in str(caught.value)
    assert not marker.exists()
    (tmp_path / "meta.pkl").write_bytes(pickle.dumps({"itos": _Malicious(marker)}))
    with pytest.raises(CheckpointError, match="not a nanoGPT vocabulary"):
        load(write())
    assert not marker.exists()
