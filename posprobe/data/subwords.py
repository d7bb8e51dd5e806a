"""Tokenizers with subwords, read from the files that the `tokenizers` library writes."""

from pathlib import Path

from tokenizers import Encoding
from tokenizers import Tokenizer as FastTokenizer

from posprobe.core.errors import CorpusError
from posprobe.core.files import write_text
from posprobe.data.special_tokens import SpecialTokens, read_config
from posprobe.data.wordpiece import bert_wordpiece


class SubwordTokenizer:
    """A tokenizer of the `tokenizers` library, without truncation and padding.

    It adds the special tokens of its own template, such as [CLS] … [SEP].

    Attributes:
        name: Where it came from, for the report.
        size: One more than the highest id, which is what a model's table must hold.
        pad_id: The padding token, or None.
        mask_id: The token that stands for a hidden one, or None.
        special_ids: Ids that are not text. The unknown token is text that the
            vocabulary could not spell, so it is not among them, unless it has another
            role as well (as in GPT-2).
    """

    def __init__(
        self, tokenizer: FastTokenizer, *, name: str, special: SpecialTokens | None = None
    ) -> None:
        self.name = name
        special = special or SpecialTokens()
        padding = tokenizer.padding or {}
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self.size = max(tokenizer.get_vocab(with_added_tokens=True).values(), default=-1) + 1
        self.special_ids: tuple[int, ...] = self._special_ids(special)
        self.pad_id: int | None = self._pad_id(special, padding.get("pad_id"))
        self.mask_id: int | None = self._special_id(special.mask, "[MASK]", "<mask>")

    @classmethod
    def from_path(cls, path: Path) -> "SubwordTokenizer":
        """Read `tokenizer.json`, or a folder with `tokenizer.json` or BERT's `vocab.txt`.

        In a folder, `tokenizer_config.json` and `special_tokens_map.json` say which
        tokens are special. A file alone says it by its own list of added tokens.

        Raises:
            CorpusError: If there is no such file, or it cannot be read.
        """
        config = read_config(path) if path.is_dir() else {}
        special = SpecialTokens.from_config(config)
        file = _find(path)
        if file.name == "vocab.txt":
            return cls(bert_wordpiece(file, config=config), name=str(path), special=special)
        try:
            tokenizer = FastTokenizer.from_file(str(file))
        except Exception as error:  # the library raises bare Exception for any bad file
            raise CorpusError(
                f"tokenizer {file}: is not a tokenizer.json ({error}); name another by --tokenizer"
            ) from error
        return cls(tokenizer, name=str(path), special=special)

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text`, with the special tokens of the template.

        Raises:
            CorpusError: If the vocabulary can neither spell a word nor mark it unknown.
        """
        return self._encode(text).ids

    def encode_with_offsets(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the ids of `text`, and of each token where it starts and ends there.

        Offsets count characters of `text` as it was given. A token that the template
        added is nowhere: (-1, -1). A character of several bytes can belong to several
        tokens, which then have equal offsets.

        Raises:
            CorpusError: As `encode` does.
        """
        encoding = self._encode(text)
        added = encoding.special_tokens_mask
        offsets = zip(encoding.offsets, added, strict=True)
        return encoding.ids, [(-1, -1) if extra else place for place, extra in offsets]

    def decode(self, ids: list[int]) -> list[str]:
        """Return the vocabulary's own spelling of each id, such as `##ing` or `Ġthe`.

        An id beyond the vocabulary is `<id>`.
        """
        tokens = (self._tokenizer.id_to_token(index) for index in ids)
        return [
            f"<{index}>" if token is None else _printable(token)
            for index, token in zip(ids, tokens, strict=True)
        ]

    def save(self, path: Path) -> Path:
        """Write the `tokenizer.json` that `from_path` reads, special tokens included."""
        copy = FastTokenizer.from_str(self._tokenizer.to_str())
        copy.add_special_tokens([copy.id_to_token(index) for index in self.special_ids])
        if self.pad_id is not None:
            # The file has no other place for the padding token; reading switches it off.
            copy.enable_padding(pad_id=self.pad_id, pad_token=copy.id_to_token(self.pad_id))
        return write_text(path, copy.to_str(pretty=True))

    def _encode(self, text: str) -> Encoding:
        try:
            return self._tokenizer.encode(text)
        except Exception as error:  # the library raises bare Exception here, too
            raise CorpusError(
                f"tokenizer {self.name}: cannot encode {text[:40]!r}… ({error}); "
                "name another by --tokenizer"
            ) from error

    def _special_ids(self, special: SpecialTokens) -> tuple[int, ...]:
        added = self._tokenizer.get_added_tokens_decoder()
        unknown = special.unknown or getattr(self._tokenizer.model, "unk_token", None)
        tokens = {token.content for token in added.values() if token.special} - {unknown}
        ids = (self._tokenizer.token_to_id(token) for token in tokens | special.tokens)
        return tuple(sorted(index for index in ids if index is not None))

    def _pad_id(self, special: SpecialTokens, padded_with: int | None) -> int | None:
        if special.pad is not None:
            return self._tokenizer.token_to_id(special.pad)
        if padded_with in self.special_ids:
            return padded_with
        return self._special_id("[PAD]", "<pad>")

    def _special_id(self, *spellings: str | None) -> int | None:
        """Return the id of the first of these spellings that is a special token."""
        ids = (self._tokenizer.token_to_id(token) for token in spellings if token)
        return next((index for index in ids if index in self.special_ids), None)


def _find(path: Path) -> Path:
    if path.is_file():
        return path
    for name in ("tokenizer.json", "vocab.txt"):
        if (path / name).is_file():
            return path / name
    raise CorpusError(
        f"tokenizer {path}: neither a file nor a folder with tokenizer.json or vocab.txt; "
        "name one by --tokenizer"
    )


def _printable(token: str) -> str:
    return token if token.isprintable() else repr(token)[1:-1]
