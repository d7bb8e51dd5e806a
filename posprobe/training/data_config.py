"""What a model is trained on, each setting explained under itself."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class TextData:
    """Documents, each a sequence of its own that begins at position 0."""

    source: str = "installed"
    """`installed` (English prose of Python and its packages), `docstrings` (theirs as they stand),
    `generated`, a file or folder, or a data set of the Hub: `fineweb`,
    `hf:NAME[:CONFIGURATION[:SPLIT]]`."""
    column: str = "text"
    """Which column holds the text, in formats that have columns."""
    length: int = 128
    """Longest sequence in tokens; longer documents are cut."""
    min_tokens: int = 0
    """Shortest document worth training on, in tokens; 0: as long as `length`, so that every
    position is trained equally often and nothing is padding."""
    tokenizer: str = "bpe"
    """`bpe` trains a byte-level one on the training documents; otherwise a file or folder."""
    vocab_size: int = 2000
    """Size of the vocabulary that `bpe` learns."""
    wrap: bool = True
    """Whether a tokenizer learned by `bpe` puts [CLS] before and [SEP] after each document. These
    stand at the same positions of all documents that are cut, and their rows of a position table
    then differ from all others."""
    limit: int = 0
    """How many documents to read; 0: all (20,000 of the generated ones)."""
    held_out: int = 256
    """Most documents in an evaluation."""


@dataclass(frozen=True, kw_only=True)
class TaskData:
    """Equations of a symbolic task, one a sequence, closed by a newline."""

    task: Literal["addition", "reversal", "indexing", "ordering"] = "reversal"
    """Which task of paper B (arXiv 2501.00073)."""
    digits: int = 0
    """Digits of each number; 0: as the task says."""
    variable: bool = False
    """Whether numbers have any number of digits up to that."""
    train: int = 20000
    """How many different equations to train on."""
    answers_only: bool = False
    """Whether to learn the answers alone. The digits of a question are random: learning to say
    them is nothing but noise in the gradient, which a small model pays for in steps."""
    test: int = 1000
    """How many others to answer in an evaluation."""
