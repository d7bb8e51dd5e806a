"""What is summed of the parts of a corpus, and with which options it can be cut."""

from posprobe.core.errors import UserError
from posprobe.core.options import RunOptions
from posprobe.pipeline.manifold import may_read_table
from posprobe.pipeline.options import ManifoldOptions, ProbeOptions

STAGES: dict[str, tuple[str, ...]] = {
    "manifold": ("sums",),
    "heads": ("sums",),
    "adjacency": ("sums",),
    "decomposition": ("sums",),
    "probe": ("learning", "examination"),
}
"""The sums of each measure, in the order in which they are made."""


def require_cuttable(chosen: RunOptions) -> None:
    """Refuse to cut a corpus where there is none, or where the result does not follow from sums.

    Args:
        chosen: The options of a measure.

    Raises:
        UserError: Says what can be cut.
    """
    if isinstance(chosen, ManifoldOptions):
        if may_read_table(chosen):
            raise UserError('parts: a position table has no corpus to cut; add source = "states"')
        if chosen.steps == "all":
            raise UserError('parts: cannot go with steps = "all"; name the steps as checkpoints')
    if isinstance(chosen, ProbeOptions) and set(chosen.probe) - {"linear"}:
        raise UserError("parts: only linear probes follow from sums; leave out the others")
