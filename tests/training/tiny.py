"""Trainings that take a second."""

from dataclasses import replace
from pathlib import Path

from posprobe.models.config import DecoderConfig, EncoderConfig
from posprobe.training.config import TrainConfig
from posprobe.training.data_config import TaskData, TextData

CORPUS = Path(__file__).with_name("corpus.txt")
"""Eighty generated documents, cut after 28 words."""
TEXT = TrainConfig(
    recipe="tiny",
    model=EncoderConfig(
        n_layers=2, n_heads=2, d_model=16, d_pos=4, d_mlp=16, n_ctx=24, d_vocab=300
    ),
    data=TextData(source=str(CORPUS), length=24, vocab_size=300, held_out=4),
    batch_size=4,
    steps=9,
    warmup=2,
    log_every=1,
    eval_every=4,
    save_every=4,
    threads=1,
    device="cpu",
)
TASK = replace(
    TEXT,
    model=DecoderConfig(n_layers=2, n_heads=2, d_model=16, n_ctx=24),
    data=TaskData(task="ordering", digits=2, train=50, test=10),
)


def losses(folder):
    """Return the loss by step that a training wrote down."""
    return {line["step"]: line["loss"] for line in folder.read_log() if "loss" in line}
