"""From the checkpoints to the papers' claims."""

from collections.abc import Callable
from typing import Any

from posprobe.analysis.claims import Claim, ClaimsResult
from posprobe.core.errors import UserError
from posprobe.pipeline.claims.causal import CAUSAL_CLAIMS
from posprobe.pipeline.claims.encoder import ENCODER_CLAIMS
from posprobe.pipeline.claims.options import ReproduceOptions
from posprobe.pipeline.claims.runs import ClaimRuns
from posprobe.pipeline.progress import Progress, silent
from posprobe.pipeline.record import provenance
from posprobe.report.claims_report import ClaimsReport, anchored
from posprobe.report.report import Report

CLAIMS: dict[str, Callable[[ClaimRuns], Claim]] = ENCODER_CLAIMS | CAUSAL_CLAIMS
"""What measures each claim, by its name."""


def reproduce(*, progress: Progress = silent, **options: Any) -> ClaimsReport:
    """Test every claim of the two papers that the checkpoints here can speak to.

    A claim whose checkpoints are not here is listed as not tested.

    Args:
        progress: Shows how far the work is.
        **options: The fields of `ReproduceOptions`.

    Raises:
        UserError: If no claim has that name, or a checkpoint or the corpus cannot be read.
    """
    chosen = ReproduceOptions(**options)
    runs = ClaimRuns(chosen, progress)
    claims = tuple(CLAIMS[name](runs) for name in _chosen(chosen))
    evidence = tuple(runs.found)
    sources = {s.ref: s for report in runs.found for s in report.provenance.checkpoints}
    tokens = tuple(t for report in runs.found for t in report.provenance.tokens)
    return ClaimsReport(
        claims=Report(
            measure="claims",
            result=ClaimsResult(claims=anchored(claims, evidence), quick=chosen.quick),
            provenance=provenance("reproduce", chosen, tuple(sources.values()), tokens, refs=()),
        ),
        evidence=evidence,
        left_out=_left_out(runs.missing),
    )


def _left_out(missing: list[str]) -> tuple[str, ...]:
    if not missing:
        return ()
    return (f"Not measured, since there is no such checkpoint here: {', '.join(missing)}.",)


def _chosen(chosen: ReproduceOptions) -> tuple[str, ...]:
    for name in chosen.claim:
        if name not in CLAIMS:
            raise UserError(f"--claim {name}: not known; choose among {', '.join(CLAIMS)}")
    return chosen.claim or tuple(CLAIMS)
