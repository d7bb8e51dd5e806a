"""From the names a user gives to the sites of a model."""

import re
from collections.abc import Sequence

from posprobe.core.errors import UserError
from posprobe.models.checks import check_sites
from posprobe.models.protocol import Model

EMBEDDING = "hook_embed"
WHOLE = "whole"


def expand_sites(model: Model, names: Sequence[str]) -> list[str]:
    """Turn each name into sites: itself, or the same place in every layer.

    Args:
        model: The model.
        names: Hook names; one without `blocks.N.` that is no site itself, such as
            `hook_resid_post`, stands for all layers.

    Raises:
        UserError: If the model has no such site; the message names the nearest.
    """
    known = model.sites()
    sites: list[str] = []
    for name in names:
        layers = [f"blocks.{i}.{name}" for i in range(model.info.n_layers)]
        everywhere = [site for site in layers if site in known]
        chosen = [name] if name in known or not everywhere else everywhere
        check_sites(chosen, known)
        if any("hook_pattern" in site or "hook_attn_scores" in site for site in chosen):
            raise UserError(f"--site {name}: holds queries by keys, not a state per position")
        sites += [site for site in chosen if site not in sites]
    return sites


def available(model: Model, names: Sequence[str]) -> list[str]:
    """Expand the names that the model has, for defaults that not every model can give.

    Raises:
        UserError: If it has none of them.
    """
    known = model.sites()
    here = [n for n in names if n in known or f"blocks.0.{n}" in known]
    if not here:
        raise UserError(
            f"{model.source.ref}: has none of the usual sites ({', '.join(names)}); "
            "name some by --site, `posprobe inspect` lists them"
        )
    return expand_sites(model, here)


def layer_of(site: str) -> int | None:
    """Return the layer a site belongs to; −1 for the token embedding, None for neither.

    >>> layer_of("blocks.3.attn.hook_z"), layer_of("hook_embed"), layer_of("ln_final.hook_out")
    (3, -1, None)
    """
    if found := re.match(r"blocks\.(\d+)\.", site):
        return int(found.group(1))
    return -1 if site == EMBEDDING else None


def stream_of(site: str, model: Model) -> str:
    """Return the stream that a site is part of; `whole` if it is not part of one."""
    return next((name for name in model.info.streams if site.endswith(f"_{name}")), WHOLE)
