"""Checking the names of sites."""

import difflib
from collections.abc import Iterable, Sequence

from posprobe.core.errors import UserError


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
