"""Tiny random checkpoints, one of each architecture, saved as transformers saves them."""

import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from posprobe.core.options import LoadOptions
from posprobe.loaders.huggingface import load_huggingface
from posprobe.loaders.quiet import quiet

WIDTH = {"vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
LONG = {"intermediate_size": 64, "max_position_embeddings": 24}
FIRST = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
GROUPED = {"num_key_value_heads": 2, "head_dim": 8}
GPT2 = {"vocab_size": 50, "n_positions": 24, "n_embd": 32, "n_layer": 2, "n_head": 4}
DISTILBERT = {
    "vocab_size": 50,
    "dim": 32,
    "n_layers": 2,
    "n_heads": 4,
    "hidden_dim": 64,
    "max_position_embeddings": 24,
}
OPT = WIDTH | {"ffn_dim": 64, "max_position_embeddings": 24, "word_embed_proj_dim": 32}
ROBERTA = WIDTH | LONG | FIRST | {"pad_token_id": 1, "max_position_embeddings": 26}
ENDS = {"bos_token_id": 1, "eos_token_id": 2}

MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "gpt2": ("GPT2LMHeadModel", GPT2 | ENDS),
    "gpt2-by-layer": ("GPT2LMHeadModel", GPT2 | ENDS | {"scale_attn_by_inverse_layer_idx": True}),
    "gpt2-unscaled": ("GPT2LMHeadModel", GPT2 | ENDS | {"scale_attn_weights": False}),
    "gpt2-headless": ("GPT2Model", GPT2 | ENDS),
    "neox": ("GPTNeoXForCausalLM", WIDTH | LONG),
    "neox-sequential": ("GPTNeoXForCausalLM", WIDTH | LONG | {"use_parallel_residual": False}),
    "neox-headless": ("GPTNeoXModel", WIDTH | LONG),
    "llama": ("LlamaForCausalLM", WIDTH | LONG | GROUPED),
    "llama-headless": ("LlamaModel", WIDTH | LONG | GROUPED),
    "mistral": ("MistralForCausalLM", WIDTH | LONG | GROUPED | {"sliding_window": 4}),
    "qwen2": ("Qwen2ForCausalLM", WIDTH | LONG | GROUPED),
    "opt": ("OPTForCausalLM", OPT),
    "opt-post-norm": (
        "OPTForCausalLM",
        OPT | {"do_layer_norm_before": False, "word_embed_proj_dim": 16},
    ),
    # A setting that the bridge takes for another.
    "opt-post-norm-wide": ("OPTForCausalLM", OPT | {"do_layer_norm_before": False}),
    "opt-headless": ("OPTModel", OPT),
    "bert": ("BertForMaskedLM", WIDTH | LONG),
    "bert-headless": ("BertModel", WIDTH | LONG),
    "roberta": ("RobertaForMaskedLM", ROBERTA),
    "roberta-headless": ("RobertaModel", ROBERTA),
    "distilbert": ("DistilBertForMaskedLM", DISTILBERT),
    "electra": ("ElectraForMaskedLM", WIDTH | LONG | {"embedding_size": 16}),
    "modernbert": (
        "ModernBertForMaskedLM",
        WIDTH | LONG | FIRST | {"cls_token_id": 1, "sep_token_id": 2, "local_attention": 8},
    ),
    # Not in the table: the first is found by its blocks, the second known to the bridge.
    "mpnet": ("MPNetForMaskedLM", ROBERTA),
    "qwen3": ("Qwen3ForCausalLM", WIDTH | LONG | GROUPED),
}
KNOWN = [name for name in MODELS if name not in ("mpnet", "qwen3")]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that takes `name` on every architecture of the table."""
    marks = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    if "name" in metafunc.fixturenames and "name" not in marks:
        metafunc.parametrize("name", KNOWN)


@pytest.fixture(scope="session")
def network(tmp_path_factory) -> Callable[[str], tuple[Any, Path]]:
    """Give a transformers model and the folder it was saved in."""
    made: dict[str, tuple[Any, Path]] = {}

    def make(name: str) -> tuple[Any, Path]:
        if name not in made:
            made[name] = _make(name, tmp_path_factory.mktemp(name))
        return made[name]

    return make


@pytest.fixture(scope="session")
def folder(network) -> Callable[[str], Path]:
    return lambda name: network(name)[1]


@pytest.fixture(scope="session")
def model(folder) -> Callable[[str], Any]:
    """Give the wrapped model; wrapped once, since no test may change it."""
    loaded: dict[str, Any] = {}

    def load(name: str) -> Any:
        if name not in loaded:
            loaded[name] = load_huggingface(folder(name), LoadOptions())
        return loaded[name]

    return load


@pytest.fixture(scope="session")
def tokens() -> torch.Tensor:
    generator = torch.Generator().manual_seed(1)
    return torch.randint(3, 50, (2, 9), generator=generator)


@pytest.fixture
def copy(folder, tmp_path) -> Callable[[str], Path]:
    """Give a checkpoint that a test may spoil."""

    def make(name: str) -> Path:
        return Path(shutil.copytree(folder(name), tmp_path / name))

    return make


@pytest.fixture
def edit_weights() -> Callable[[Path, Callable], None]:
    """Change the tensors of a copied checkpoint."""

    def edit(path: Path, change: Callable) -> None:
        state = load_file(path / "model.safetensors")
        change(state)
        save_file(state, path / "model.safetensors", metadata={"format": "pt"})

    return edit


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("asked the network")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def _make(name: str, path: Path) -> tuple[Any, Path]:
    with quiet(), torch.random.fork_rng():
        import transformers

        torch.manual_seed(0)
        architecture, settings = MODELS[name]
        cls = getattr(transformers, architecture)
        network = cls(cls.config_class(**settings)).eval()
        with torch.no_grad():
            for weight in network.parameters():
                # Wide enough for a wrong axis to show, norms and biases off their defaults.
                weight.copy_(torch.randn_like(weight) * 0.15 + (0 if weight.ndim > 1 else weight))
        network.save_pretrained(path)
    return network, path
