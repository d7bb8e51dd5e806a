"""Where a result comes from, so that somebody else can make it again."""

import platform
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

PACKAGES = ("posprobe", "torch", "transformer-lens", "transformers", "numpy", "scipy")


@dataclass(frozen=True, kw_only=True)
class CheckpointSource:
    """One checkpoint: what the user named, what was found, and its hash.

    Attributes:
        ref: The reference as given: a path, a shipped name or a Hub id.
        format: Which format was read, such as `native` or `nanogpt`.
        sha256: Hash of the weight files; of the configuration if the weights are random.
        trained: What its own records say of the training (recipe, steps, losses).
    """

    ref: str
    format: str
    sha256: str
    trained: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class TokenSource:
    """The tokens a measure ran on.

    Attributes:
        name: A file, a generated corpus or a task.
        sha256: Hash of the token ids, in order.
        documents: How many sequences were used.
        tokens: How many tokens they have, without padding.
        truncated: How many documents were longer than the context.
        too_short: How many documents were left out for want of tokens.
        special_ids: Ids that are not text and were left out of the statistics.
    """

    name: str
    sha256: str
    documents: int
    tokens: int
    truncated: int = 0
    too_short: int = 0
    special_ids: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Everything needed to make a result again.

    Attributes:
        command: The command line that makes it.
        checkpoints: The checkpoints measured, in the order given.
        tokens: The tokens they ran on, one entry per checkpoint that ran, since each has its own
            tokenizer; empty where only weights were read.
        seed: Seed of every random choice.
        device: Where the model ran.
        dtype: The precision it ran in.
        threads: CPU threads, since sums may differ in the last bit between counts.
        options: The measure's options, defaults included.
        versions: Versions of Python and of the packages that decide the numbers.
    """

    command: str
    checkpoints: tuple[CheckpointSource, ...]
    tokens: tuple[TokenSource, ...] = ()
    seed: int = 0
    device: str = "cpu"
    dtype: str = "float32"
    threads: int = 1
    options: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=lambda: installed_versions())


def installed_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that decide the numbers."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def command_line(words: Sequence[str]) -> str:
    """Quote words for a shell.

    >>> command_line(["posprobe", "manifold", "my model"])
    "posprobe manifold 'my model'"
    """
    return shlex.join(words)
