"""What checkpoints are called on a page: as briefly as tells them apart."""

from collections.abc import Iterable
from pathlib import PurePath


def brief_names(refs: Iterable[str]) -> dict[str, str]:
    """Return for each reference its last part, or the references themselves if those coincide.

    >>> brief_names(["checkpoints/dstg", "openai-community/gpt2"])
    {'checkpoints/dstg': 'dstg', 'openai-community/gpt2': 'gpt2'}
    >>> brief_names(["a/model", "b/model"])
    {'a/model': 'a/model', 'b/model': 'b/model'}
    """
    short = {ref: PurePath(ref).name or ref for ref in refs}
    return short if len(set(short.values())) == len(short) else {ref: ref for ref in short}


def together(names: list[str]) -> str:
    """Join a few names as a sentence does; count them if they are many.

    >>> together(["dstg"]), together(["dstg", "ap", "rp"]), together(list("abcd"))
    ('dstg', 'dstg, ap and rp', '4 models')
    """
    if len(names) > 3:
        return f"{len(names)} models"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
