"""BERT's tokenizer from its word list alone."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import WordPiece

from posprobe.core.errors import CorpusError

NEEDED = ("[UNK]", "[CLS]", "[SEP]")


def bert_wordpiece(path: Path, *, config: Mapping[str, Any] | None = None) -> Tokenizer:
    """Build BERT's WordPiece tokenizer, which wraps a text as [CLS] … [SEP].

    Args:
        path: `vocab.txt`, one token a line, in the order of the ids.
        config: The folder's `tokenizer_config.json`, of which `do_lower_case` (True where
            nothing is said), `strip_accents` (as lowercasing) and
            `tokenize_chinese_chars` (True) count here.

    Raises:
        CorpusError: If the file cannot be read, names a token twice, or lacks [UNK],
            [CLS] or [SEP].
    """
    ids = _read(path)
    config = config or {}
    tokenizer = Tokenizer(WordPiece(ids, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(
        lowercase=bool(config.get("do_lower_case", True)),
        strip_accents=config.get("strip_accents"),
        handle_chinese_chars=bool(config.get("tokenize_chinese_chars", True)),
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    known = [token for token in (*NEEDED, "[PAD]", "[MASK]") if token in ids]
    tokenizer.add_special_tokens(known)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[(token, ids[token]) for token in ("[CLS]", "[SEP]")],
    )
    return tokenizer


def _read(path: Path) -> dict[str, int]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise CorpusError(f"tokenizer {path}: cannot be read as text ({error})") from error
    tokens = [line.rstrip("\r") for line in lines]
    if tokens[-1] == "":
        tokens.pop()
    ids = {token: index for index, token in enumerate(tokens)}
    missing = [token for token in NEEDED if token not in ids]
    if missing:
        raise CorpusError(f"tokenizer {path}: not BERT's vocab.txt, {', '.join(missing)} missing")
    if len(ids) != len(tokens):
        raise CorpusError(f"tokenizer {path}: a token stands on two lines")
    return ids
