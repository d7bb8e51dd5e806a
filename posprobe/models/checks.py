"""Checking what a model is asked to run on and to give."""

import difflib
from collections.abc import Iterable, Sequence

from jaxtyping import Int
from torch import Tensor

from posprobe.core.errors import UserError
from posprobe.models.protocol import ModelInfo


def check_tokens(tokens: Int[Tensor, "batch pos"], info: ModelInfo) -> None:
    """Refuse token ids that the model cannot read.

    Raises:
        UserError: If the sequences are too long or an id is not in the vocabulary.
    """
    if tokens.shape[1] > info.n_ctx:
        raise UserError(
            f"sequence of {tokens.shape[1]} tokens is longer than the context of "
            f"{info.n_ctx}: cut the documents"
        )
    if tokens.numel() and not 0 <= int(tokens.min()) <= int(tokens.max()) < info.d_vocab:
        raise UserError(
            f"token {int(tokens.max())} is not in the vocabulary of {info.d_vocab}: "
            "the tokenizer is not this model's"
        )


def check_sites(asked: Iterable[str], known: Sequence[str]) -> None:
    """Refuse names that are no site of the model.

    Raises:
        UserError: With the nearest names that exist.

    >>> check_sites(["hook_embd"], ["hook_embed", "unembed.hook_out"])
    Traceback (most recent call last):
    posprobe.core.errors.UserError: no site 'hook_embd' in this model; nearest: hook_embed, ...
    """
    for site in asked:
        if site not in known:
            near = difflib.get_close_matches(site, known, n=3, cutoff=0.4) or list(known[:3])
            raise UserError(
                f"no site {site!r} in this model; nearest: {', '.join(near)}; "
                f"`posprobe inspect` lists all {len(known)}"
            )
