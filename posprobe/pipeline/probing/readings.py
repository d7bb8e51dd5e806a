"""What probes read: which sites, which streams, and what of their states."""

from dataclasses import dataclass

from posprobe.core.errors import UserError
from posprobe.models.protocol import Model
from posprobe.pipeline.options import ProbeOptions
from posprobe.pipeline.sites import EMBEDDING, WHOLE, available, expand_sites, layer_of, stream_of

STATE = "state"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One thing that a probe reads.

    Attributes:
        site: Hook name of the states.
        layer: Its layer, −1 for the token embedding; None where there is no order of layers.
        stream: `whole`, or the stream of which the site is part.
        feature: What of the state is read; see `read_feature`.
    """

    site: str
    layer: int | None
    stream: str
    feature: str


def readings_of(model: Model, chosen: ProbeOptions) -> list[Reading]:
    """List what is read of a model, feature by feature, site by site.

    Raises:
        UserError: If the model has no such site, layer or stream.
    """
    places = [(site, layer_of(site), stream_of(site, model)) for site in _sites(model, chosen)]
    kept = [
        (site, layer, stream)
        for site, layer, stream in places
        if (not chosen.layer or layer in chosen.layer)
        and (not chosen.stream or stream in chosen.stream)
    ]
    if not kept:
        raise UserError(_nothing_left(model, chosen))
    return [
        Reading(site=site, layer=layer, stream=stream, feature=feature)
        for feature in dict.fromkeys(chosen.feature or (STATE,))
        for site, layer, stream in kept
    ]


def _sites(model: Model, chosen: ProbeOptions) -> list[str]:
    if chosen.site:
        return expand_sites(model, chosen.site)
    suffixes = ["", *(f"_{stream}" for stream in model.info.streams)]
    return available(model, [EMBEDDING, *(f"hook_resid_post{suffix}" for suffix in suffixes)])


def _nothing_left(model: Model, chosen: ProbeOptions) -> str:
    asked = [*(f"--layer {layer}" for layer in chosen.layer)]
    asked += [f"--stream {stream}" for stream in chosen.stream]
    streams = ", ".join((WHOLE, *model.info.streams))
    return (
        f"{' '.join(asked)}: no site of {model.source.ref} is left; it has layers -1 (token "
        f"embedding) to {model.info.n_layers - 1} and streams {streams}"
    )
