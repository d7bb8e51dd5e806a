"""Reading text files line by line, compressed or not, with errors that name the line."""

import gzip
import lzma
import zlib
from collections.abc import Iterator
from io import BufferedIOBase
from pathlib import Path

from posprobe.core.errors import CorpusError

COMPRESSED = (".xz", ".gz")


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Give each line of a UTF-8 file with its number, from 1 and without its line end.

    Args:
        path: The file; one that ends in `.xz` or `.gz` is decompressed on the way.

    Raises:
        CorpusError: If the file cannot be read, or a line is not UTF-8.
    """
    try:
        with _open(path) as stream:
            for number, raw in enumerate(stream, start=1):
                yield number, _decode(raw, path, number)
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise CorpusError(f"corpus {path}: cannot be read ({error})") from error


def _open(path: Path) -> BufferedIOBase:
    match path.suffix:
        case ".xz":
            return lzma.open(path, "rb")
        case ".gz":
            return gzip.open(path, "rb")
        case _:
            return path.open("rb")


def _decode(raw: bytes, path: Path, number: int) -> str:
    try:
        line = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"corpus {path}:{number}: not UTF-8 (byte {raw[error.start]:#04x}); convert the file"
        ) from None
    # Some editors begin a file with a byte order mark, which is no text.
    return (line.removeprefix("\ufeff") if number == 1 else line).rstrip("\r\n")
