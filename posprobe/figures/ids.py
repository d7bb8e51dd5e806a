"""Names of figures that hold words of the user's."""

import re


def figure_id(*words: str) -> str:
    """Join words into a name that anchors and files can have.

    >>> figure_id("probe", "to-end", "linear"), figure_id("adjacency", "attn.hook_z")
    ('probe-to-end-linear', 'adjacency-attn-hook-z')
    """
    return re.sub(r"[^a-z0-9]+", "-", "-".join(words).lower()).strip("-")
