"""Sites across layers: which hook names are the same place in different blocks."""

import re


def place(site: str) -> str:
    """Return a hook name without its layer and block prefix.

    >>> place("blocks.3.attn.hook_z")
    'attn.hook_z'
    >>> place("hook_embed")
    'hook_embed'
    """
    return re.sub(r"^blocks\.\d+\.", "", site)


def layer_name(layer: int | None) -> str:
    """Return what a layer is called on an axis or in a table.

    >>> layer_name(-1), layer_name(3), layer_name(None)
    ('embedding', '3', 'none')
    """
    if layer is None:
        return "none"
    return "embedding" if layer == -1 else str(layer)
