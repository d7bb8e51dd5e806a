"""Which measures can have their corpus cut into parts, and what is summed of these."""

from posprobe.core.errors import UserError
from posprobe.core.options import RunOptions
from posprobe.pipeline.manifold import may_read_table
from posprobe.pipeline.options import ManifoldOptions, ProbeOptions

STAGES: dict[str, tuple[str, ...]] = {
    "manifold": ("sums",),
    "heads": ("sums",),
    "probe": ("learning", "examination"),
}
"""The sums of each measure whose corpus can be cut, in the order in which they are made."""


def require_cuttable(measure: str, chosen: RunOptions | None = None) -> None:
    """Refuse to cut the corpus of a measure that is no quotient of sums.

    Args:
        measure: The measure.
        chosen: Its options, where they decide.

    Raises:
        UserError: Says what can be cut.
    """
    if measure not in STAGES:
        raise UserError(
            f"parts: the corpus of {measure} cannot be cut; that of {', '.join(STAGES)} can"
        )
    if isinstance(chosen, ManifoldOptions):
        if may_read_table(chosen):
            raise UserError('parts: a position table has no corpus to cut; add source = "states"')
        if chosen.steps == "all":
            raise UserError('parts: cannot go with steps = "all"; name the steps as checkpoints')
    if isinstance(chosen, ProbeOptions) and set(chosen.probe) - {"linear"}:
        raise UserError("parts: only linear probes follow from sums; leave out the others")
