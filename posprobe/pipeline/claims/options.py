"""What `reproduce` lets a user choose."""

from dataclasses import dataclass
from typing import Annotated

from posprobe.core.options import MeasureOptions
from posprobe.pipeline.options import Corpus


@dataclass(frozen=True, kw_only=True)
class ReproduceOptions(MeasureOptions):
    """Options of `reproduce`."""

    quick: Annotated[bool, "Fewer documents and settings: about two minutes on two cores."] = False
    claim: Annotated[
        tuple[str, ...], "Only this claim, such as A1. Can be given again. Default: all."
    ] = ()
    dstg: Annotated[str, "The encoder with separate streams."] = "dstg-tiny"
    ap: Annotated[str, "The encoder whose positions are added to its tokens."] = "ap-tiny"
    rp: Annotated[str, "The encoder with a relative bias."] = "rp-tiny"
    rope: Annotated[str, "The encoder with rotated queries and keys."] = "rope-tiny"
    nope: Annotated[str, "The causal model without position encoding."] = "nanogpt-nope"
    corpus: Corpus = "docstrings"
    holmes: Annotated[
        str | None, "Folder of Flash-Holmes data sets, for claim A7. Default: not tested."
    ] = None
