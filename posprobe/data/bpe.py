"""Learning a vocabulary of subwords from a corpus."""

from collections.abc import Iterable, Iterator

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers

from posprobe.core.errors import CorpusError
from posprobe.data.documents import Document
from posprobe.data.special_tokens import SpecialTokens
from posprobe.data.subwords import SubwordTokenizer

SPECIAL = ("[PAD]", "[CLS]", "[SEP]", "[MASK]")
"""Special tokens in the order of their ids: padding is 0."""
BYTES = 256


def train_bpe(
    documents: Iterable[Document],
    *,
    vocab_size: int,
    special: tuple[str, ...] = SPECIAL,
    template: bool = True,
    name: str = "BPE",
) -> SubwordTokenizer:
    """Learn a byte-level BPE vocabulary from a stream of documents.

    It spells every text, if need be by its bytes, so there is no unknown token. The same
    documents give the same vocabulary. A space belongs to the word after it (`Ġthe`), an
    empty line is one token (`ĊĊ`), and a word that opens a paragraph has no space.

    Args:
        documents: What to learn from; read once, one after the other.
        vocab_size: Ids to aim at, with the special tokens and the 256 bytes. A small
            corpus has too few pairs to fill it: the tokenizer's `size` is what counts.
        special: Special tokens in the order of their ids, padding first. [PAD] and [MASK]
            have their roles by these names.
        template: Whether a text is wrapped as [CLS] … [SEP].
        name: What to call the tokenizer in reports.

    Raises:
        CorpusError: If `vocab_size` leaves no room for a subword, a special token stands
            there twice or [CLS] or [SEP] is missing for the template, or there is no
            document.
    """
    _check(vocab_size, special, template)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(r"\n+"), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=list(special),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_texts(documents, name), trainer)
    if template:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]",
            special_tokens=[(token, special.index(token)) for token in ("[CLS]", "[SEP]")],
        )
    return SubwordTokenizer(tokenizer, name=name, special=SpecialTokens(tokens=frozenset(special)))


def _texts(documents: Iterable[Document], name: str) -> Iterator[str]:
    empty = True
    for document in documents:
        empty = False
        yield document.text
    if empty:
        raise CorpusError(f"tokenizer {name}: there is no document to learn from")


def _check(vocab_size: int, special: tuple[str, ...], template: bool) -> None:
    if vocab_size <= BYTES + len(special):
        raise CorpusError(
            f"vocab_size={vocab_size} must be more than the {BYTES} bytes and "
            f"{len(special)} special tokens"
        )
    if len(set(special)) < len(special):
        raise CorpusError(f"special={special}: a token stands there twice")
    if template and not {"[CLS]", "[SEP]"}.issubset(special):
        raise CorpusError(f"special={special}: template=True needs [CLS] and [SEP]")
