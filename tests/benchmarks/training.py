"""Tokens learned from in a second: DSTG beside RoPE, and beside the public NeoBERT code.

The latter is measured where NEOBERT names the `src` folder of a checkout
(github.com/chandar-lab/NeoBERT).
"""

import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import torch
from torch import nn
from torch.nn.functional import cross_entropy, silu

from posprobe.models.build import build
from posprobe.models.config import EncoderConfig
from posprobe.training.accelerator import make_accelerator
from posprobe.training.config import TrainConfig
from posprobe.training.learner import Learner
from posprobe.training.lesson import Lesson
from tests.benchmarks.lines import Line, at_most_times, run
from tests.benchmarks.measuring import Run, seconds

LAYERS, HEADS, WIDTH, HIDDEN, VOCABULARY = 6, 6, 384, 1024, 8000
BATCH, LENGTH, MASKED = 4, 256, 0.2
TOKENS = BATCH * LENGTH


def lines() -> Iterator[Line]:
    """Measure the training steps in turns, then the largest product of matrices."""
    runs = {"DSTG": _ours("dstg"), "RoPE": _ours("rope")}
    if folder := os.environ.get("NEOBERT"):
        runs["NeoBERT"] = _neobert(folder)
    else:
        print("NEOBERT is not set: the public code is not measured", file=sys.stderr)
    square = torch.randn(2048, 2048)
    *steps, product = seconds(*runs.values(), lambda: square @ square, repeats=5)
    taken = dict(zip(runs, steps, strict=True))
    what = f"step of {TOKENS:,} tokens, {LAYERS} × {WIDTH}:"
    yield at_most_times(f"{what} DSTG beside RoPE", taken["DSTG"], taken["RoPE"], 1.25)
    if "NeoBERT" in taken:
        yield at_most_times(f"{what} RoPE beside NeoBERT", taken["RoPE"], taken["NeoBERT"], 1)
        yield at_most_times(f"{what} DSTG beside NeoBERT", taken["DSTG"], taken["NeoBERT"], 1)
    peak = 2 * 2048**3 / product
    for name in ("DSTG", "RoPE"):
        yield Line(what=f"tokens of {name} in a second", ours=TOKENS / taken[name], unit="/s")
        used = _operations(name) / taken[name] / peak
        yield Line(what=f"{name}: operations beside a large product's", ours=100 * used, unit="%")


def _ours(position: str) -> Run:
    model = EncoderConfig(
        position=position,
        n_layers=LAYERS,
        n_heads=HEADS,
        d_model=WIDTH,
        d_pos=48,
        d_mlp=HIDDEN,
        n_ctx=LENGTH,
        d_vocab=VOCABULARY,
    )
    config = TrainConfig(model=model, device="cpu")
    learner = Learner(build(model, seed=0), config, make_accelerator(config))
    lesson = _lesson()
    return lambda: learner.learn([lesson], step=1)


def _lesson() -> Lesson:
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randint(1, VOCABULARY, (BATCH, LENGTH), generator=generator)
    at = torch.randperm(TOKENS, generator=generator)[: int(MASKED * TOKENS)].sort().values
    targets = tokens.flatten()[at]
    return Lesson(tokens=tokens, mask=None, at=at, targets=targets, n_tokens=TOKENS)


def _neobert(folder: str) -> Run:
    """Train the public model as its own loop does: eager, the head on every token."""
    public = _public(Path(folder))
    config = public.NeoBERTConfig(
        hidden_size=WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=HIDDEN * 3 // 2,
        vocab_size=VOCABULARY,
        max_length=LENGTH,
        flash_attention=False,
        dropout_prob=0.0,
    )
    network = public.NeoBERTLMHead(config).train()
    optimizer = torch.optim.AdamW(network.parameters(), fused=True)
    lesson = _lesson()
    labels = torch.full((TOKENS,), -100)
    labels[lesson.at] = lesson.targets

    def step() -> None:
        logits = network(lesson.tokens)["logits"]
        cross_entropy(logits.flatten(0, 1), labels).backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step


def _public(folder: Path) -> ModuleType:
    """Import the file of the model; its package also asks for files that are not there."""
    sys.modules |= {"xformers": ModuleType("xformers"), "xformers.ops": _operators()}
    for name in ("neobert", "neobert.model"):
        package = ModuleType(name)
        package.__path__ = [str(folder.joinpath(*name.split(".")))]
        sys.modules[name] = package
    return import_module("neobert.model.model")


def _operators() -> ModuleType:
    """Stand in for xFormers, whose kernels are for GPUs: the same layer in plain torch."""

    class SwiGLU(nn.Module):
        def __init__(self, d_in: int, d_mlp: int, d_out: int, bias: bool) -> None:
            super().__init__()
            self.w12 = nn.Linear(d_in, 2 * d_mlp, bias=bias)
            self.w3 = nn.Linear(d_mlp, d_out, bias=bias)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            gate, up = self.w12(x).chunk(2, dim=-1)
            return self.w3(silu(gate) * up)

    module = ModuleType("xformers.ops")
    module.__dict__.update(SwiGLU=SwiGLU, memory_efficient_attention=None)
    return module


def _operations(name: str) -> float:
    """Count the multiplications and additions of a step, backward pass included."""
    streams = (48, WIDTH - 48) if name == "DSTG" else (WIDTH,)
    projections = sum(width * (2 * WIDTH + 2 * width) for width in streams)
    attention = LENGTH * WIDTH * (len(streams) + 1)
    inside = projections + 3 * WIDTH * HIDDEN + attention
    head = MASKED * streams[-1] * VOCABULARY
    return 3 * 2 * TOKENS * (LAYERS * inside + head)


if __name__ == "__main__":
    run("training", lines())
