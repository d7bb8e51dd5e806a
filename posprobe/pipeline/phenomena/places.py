"""Which states of a model the probes of Holmes read."""

from posprobe.core.errors import UserError
from posprobe.models.checks import check_sites
from posprobe.models.protocol import Model
from posprobe.pipeline.phenomena.options import HolmesOptions
from posprobe.pipeline.sites import expand_sites

FINAL = "ln_final.hook_normalized"
"""What the head reads, which libraries call the last hidden state."""
LAST = "last layer"


def places_of(model: Model, chosen: HolmesOptions) -> dict[str, str]:
    """Return what is read, by the name that is the same for models of different depth.

    Raises:
        UserError: If the model has no such stream or site; the message names the nearest.
    """
    suffix = "" if chosen.stream == "whole" else f"_{chosen.stream}"
    if suffix and chosen.stream not in model.info.streams:
        raise UserError(
            f"--stream {chosen.stream}: {model.source.ref} has no such stream; leave it out"
        )
    if chosen.site:
        names = [site + suffix for site in chosen.site]
        return {site: site for site in expand_sites(model, names)}
    site = FINAL + suffix
    if site not in model.sites():
        site = f"blocks.{model.info.n_layers - 1}.hook_resid_post{suffix}"
        check_sites([site], model.sites())
    return {f"{LAST}, {chosen.stream}" if suffix else LAST: site}
