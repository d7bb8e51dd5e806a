"""Shapes and types in signatures are checked whenever the tests run."""

import os
import socket
import sys
from pathlib import Path

import pytest
import torch
from jaxtyping import install_import_hook

import tests.typechecker

install_import_hook("posprobe", f"{tests.typechecker.__name__}.check").__enter__()

# No test finds what an earlier one measured, nor touches the cache of whoever runs the tests.
os.environ["POSPROBE_CACHE"] = ""

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """Project facts beside the clone; a newcomer has none."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs ../shared")
    return folder


@pytest.fixture(scope="session")
def golden(shared: Path) -> Path:
    return shared / "golden"


@pytest.fixture(autouse=True)
def _one_thread_and_seed():
    torch.set_num_threads(1)
    torch.manual_seed(0)


@pytest.fixture
def posprobe(monkeypatch, tmp_path, capsys):
    """Run a command in an empty folder; return status, stdout and stderr."""
    from posprobe.cli import app
    from posprobe.exits import run_and_exit

    monkeypatch.chdir(tmp_path)

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["posprobe", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            run_and_exit(app)
        out, err = capsys.readouterr()
        return end.value.code, out, err

    return run


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("the network was asked for")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture
def dstg(tmp_path):
    from tests.checkpoints import save_encoder

    return save_encoder(tmp_path / "dstg")


@pytest.fixture
def nope(tmp_path):
    from tests.checkpoints import save_decoder

    return save_decoder(tmp_path / "nope")
