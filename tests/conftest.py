"""Shapes and types in signatures are checked whenever the tests run."""

from pathlib import Path

import pytest
import torch
from jaxtyping import install_import_hook

import tests.typechecker

install_import_hook("posprobe", f"{tests.typechecker.__name__}.check").__enter__()

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
