"""From a config to the lessons of its training."""

from collections.abc import Sequence
from pathlib import Path

from posprobe.data.equations import Equation
from posprobe.data.splits import split_equations
from posprobe.data.symbolic import TASKS
from posprobe.data.vocabulary import ascii_vocabulary
from posprobe.models.config import DecoderConfig
from posprobe.training.config import TrainConfig
from posprobe.training.corpus import prepare_corpus
from posprobe.training.data_config import TaskData, TextData
from posprobe.training.equation_table import EquationTable
from posprobe.training.lessons import Lessons
from posprobe.training.masked_documents import MaskedDocuments
from posprobe.training.masking import Masking
from posprobe.training.task_lessons import TaskLessons
from posprobe.training.text_lessons import TextLessons


def open_lessons(config: TrainConfig, *, cache: Path, maker: bool = True) -> Lessons:
    """Read or make what a config trains on.

    Args:
        config: The training.
        cache: The folder where token ids are kept.
        maker: Whether this process makes them, or waits for the one that does.

    Raises:
        CorpusError: If the corpus is missing or too short.
    """
    data = config.data
    if isinstance(data, TextData):
        return _text(config, data, cache, maker)
    return _task(config, data)


def _text(config: TrainConfig, data: TextData, cache: Path, maker: bool) -> TextLessons:
    corpus = prepare_corpus(data, seed=config.seed, cache=cache, maker=maker)
    masking = Masking.of(
        corpus.tokenizer,
        rate=config.mask_rate,
        as_mask=config.mask_as_mask,
        as_random=config.mask_as_random,
        seed=config.seed,
    )
    return TextLessons(
        MaskedDocuments(corpus.train, corpus.tokenizer, masking),
        MaskedDocuments(corpus.held_out, corpus.tokenizer, masking),
        corpus.tokenizer,
        batch_size=config.batch_size,
    )


def _task(config: TrainConfig, data: TaskData) -> TaskLessons:
    assert isinstance(config.model, DecoderConfig)
    causal, n_ctx, tokenizer = config.model.causal, config.model.n_ctx, ascii_vocabulary()
    train, test = split_equations(
        TASKS[data.task],
        train=data.train,
        test=data.test,
        seed=config.seed,
        variable=data.variable,
        digits=data.digits or None,
    )

    def table(equations: Sequence[Equation]) -> EquationTable:
        return EquationTable(equations, tokenizer, name=data.task, n_ctx=n_ctx, causal=causal)

    return TaskLessons(table(train), table(test), tokenizer, answers_only=data.answers_only)
