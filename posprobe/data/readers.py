"""Opening a corpus by the ending of its name."""

from collections.abc import Iterator
from pathlib import Path

from posprobe.core.errors import CorpusError
from posprobe.data.conllu import read_conllu
from posprobe.data.documents import Document
from posprobe.data.jsonl import read_jsonl
from posprobe.data.lines import COMPRESSED
from posprobe.data.parquet import read_parquet
from posprobe.data.plain_text import read_plain_text

ENDINGS = (".txt", ".jsonl", ".conllu", ".parquet")


def read_documents(
    path: Path, *, column: str = "text", annotated: bool = False
) -> Iterator[Document]:
    """Stream the documents of a file or a folder.

    | ending | documents | paragraphs | sentences |
    |---|---|---|---|
    | `.txt` | parted by a line `===` or a form feed | parted by empty lines | by rules |
    | `.jsonl` | one a line, in `column` | parted by empty lines | by rules |
    | `.parquet` | one a row, in `column` | parted by empty lines | by rules |
    | `.conllu` | `# newdoc` | `# newpar` | as annotated |

    All but Parquet may be compressed (`.xz`, `.gz`). A folder is searched, subfolders
    included, for `.txt` files, in the order of their paths; there each file is one
    document.

    Args:
        path: The file or folder.
        column: Which entry of a `.jsonl` line or a `.parquet` row holds the text.
        annotated: Whether to keep what a `.conllu` file says of each word.

    Returns:
        The documents, read while they are asked for.

    Raises:
        CorpusError: At once if there is no such path or the ending is not known; while
            reading, if the content is not what the ending says (file and line are named).
    """
    if path.is_dir():
        return _read_folder(path)
    if not path.is_file():
        raise CorpusError(f"corpus {path}: no such file or folder")
    match _ending(path):
        case ".txt":
            return read_plain_text(path)
        case ".jsonl":
            return read_jsonl(path, column=column)
        case ".conllu":
            return read_conllu(path, annotated=annotated)
        case ".parquet" if path.suffix == ".parquet":
            return read_parquet(path, column=column)
        case ending:
            raise CorpusError(
                f"corpus {path}: cannot read {ending or 'a file without ending'}; "
                f"give {', '.join(ENDINGS)} (all but .parquet also with .xz or .gz), or a "
                "folder of .txt"
            )


def _read_folder(folder: Path) -> Iterator[Document]:
    files = sorted(file for file in folder.rglob("*") if file.is_file() and _ending(file) == ".txt")
    if not files:
        raise CorpusError(f"corpus {folder}: the folder holds no .txt file")
    return (document for file in files for document in read_plain_text(file, whole=True))


def _ending(path: Path) -> str:
    return Path(path.stem).suffix if path.suffix in COMPRESSED else path.suffix
